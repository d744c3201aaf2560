import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  GraphDrawStyle,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  DashboardLinkBuilder,
  DashboardLinkType,
  FieldColorBuilder,
  FieldColorModeId,
  MappingType,
  type Panel,
  type Threshold,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as StateTimelineBuilder } from '@grafana/grafana-foundation-sdk/statetimeline';
import { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table';
import { PanelBuilder as TimeseriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import { runbookUrl } from '../runbooks.ts';

/* The kinds of panels, built with Grafana's own library, so that the members of the JSON are checked by its types. */

export type PanelSource = Builder<Panel>;

/** The data source that the reader chooses at the top of a dashboard. */
export const DATASOURCE = { type: 'prometheus', uid: '$datasource' };

/** One PromQL expression of a panel. */
export interface Query {
  readonly expr: string;
  /** The name of each series; `{{label}}` stands for the label's value. Empty for a panel with one series. */
  readonly legend?: string;
}

export interface PanelOptions {
  readonly title: string;
  /** Says in plain English what is shown, and which value is normal or bad. */
  readonly description: string;
  /** Grafana's id of a unit, such as `s`, `bytes`, `reqps` or `percentunit`. */
  readonly unit: string;
  readonly queries: readonly Query[];
  /** Columns of the 24 of a dashboard. */
  readonly width?: number;
  readonly height?: number;
  /** The values from which the colour is orange and red. */
  readonly limits?: { readonly orange: number; readonly red: number };
  readonly max?: number;
  readonly decimals?: number;
  /** The alerts whose runbooks explain what to do about a bad value. */
  readonly alerts?: readonly string[];
}

interface TimeseriesOptions extends PanelOptions {
  readonly isStacked?: boolean;
  /** Shows exemplars, by which one comes from a slow request to its trace. */
  readonly hasExemplars?: boolean;
}

/** Returns a chart over time, with a legend that lists the last, mean and largest value of each series. */
export function timeseries(options: TimeseriesOptions): PanelSource {
  const { isStacked = false, hasExemplars = false, max, decimals } = options;
  const builder = described(new TimeseriesBuilder(), options, { width: 12, height: 8 })
    .min(0)
    .drawStyle(GraphDrawStyle.Line)
    .lineWidth(1)
    .fillOpacity(isStacked ? 30 : 10)
    .showPoints(VisibilityMode.Never)
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.PaletteClassicByName))
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending))
    .legend(legend());
  if (isStacked) builder.stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A'));
  if (max !== undefined) builder.max(max);
  if (decimals !== undefined) builder.decimals(decimals);
  options.queries.forEach((query, index) => {
    builder.withTarget(target(query, index).range().exemplar(hasExemplars));
  });
  return builder;
}

function legend(): VizLegendOptionsBuilder {
  return new VizLegendOptionsBuilder()
    .showLegend(true)
    .displayMode(LegendDisplayMode.Table)
    .placement(LegendPlacement.Bottom)
    .calcs(['lastNotNull', 'mean', 'max']);
}

/** Returns one number with a small chart behind it. */
export function stat(options: PanelOptions & { readonly zero?: string }): PanelSource {
  const { max, decimals, zero } = options;
  const builder = described(new StatBuilder(), options, { width: 4, height: 4 })
    .min(0)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']).fields('').values(false))
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.Thresholds))
    .noValue(zero ?? 'no data');
  if (max !== undefined) builder.max(max);
  if (decimals !== undefined) builder.decimals(decimals);
  options.queries.forEach((query, index) => {
    builder.withTarget(target(query, index).range());
  });
  return builder;
}

/** A text and a colour for a value of a panel. */
export interface Meaning {
  readonly text: string;
  readonly color: string;
}

/** Returns bars that show in which state each series was at which time. */
export function states(options: PanelOptions & { readonly meanings: Readonly<Record<string, Meaning>> }): PanelSource {
  const builder = described(new StateTimelineBuilder(), options, { width: 24, height: 8 })
    .mappings([valueMapping(options.meanings)])
    .mergeValues(true)
    .showValue(VisibilityMode.Never)
    .legend(new VizLegendOptionsBuilder().showLegend(true).displayMode(LegendDisplayMode.List).calcs([]))
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Single))
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.Thresholds));
  options.queries.forEach((query, index) => {
    builder.withTarget(target(query, index).range());
  });
  return builder;
}

function valueMapping(meanings: Readonly<Record<string, Meaning>>): ValueMapping {
  const results = Object.entries(meanings).map(([value, { text, color }], index) => [value, { text, color, index }]);
  return { type: MappingType.ValueToText, options: Object.fromEntries(results) };
}

/** A column of a table: a query whose last value is shown for each row. */
export interface Column extends Query {
  readonly title: string;
  readonly unit: string;
  readonly decimals?: number;
  readonly meanings?: Readonly<Record<string, Meaning>>;
}

interface TableOptions extends Omit<PanelOptions, 'queries' | 'unit'> {
  /** The labels that name a row, with their headings. */
  readonly keys: Readonly<Record<string, string>>;
  readonly columns: readonly Column[];
}

/** Returns a table with one row per set of labels, and one column per query. */
export function table(options: TableOptions): PanelSource {
  const { keys, columns } = options;
  const builder = described(new TableBuilder(), { ...options, unit: 'none', queries: [] }, { width: 24, height: 9 });
  columns.forEach((column, index) => {
    builder.withTarget(target(column, index).instant().format(PromQueryFormat.Table));
  });
  const nameOf = (index: number) => (columns.length === 1 ? 'Value' : `Value #${refId(index)}`);
  const titles = columns.map(({ title }, index) => [nameOf(index), title]);
  builder
    .withTransformation({ id: 'merge', options: {} })
    .withTransformation({
      id: 'organize',
      options: { excludeByName: { Time: true }, renameByName: { ...keys, ...Object.fromEntries(titles) } },
    })
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.Thresholds));
  for (const { title, unit, decimals, meanings } of columns) {
    builder.overrideByName(title, [
      { id: 'unit', value: unit },
      ...(decimals === undefined ? [] : [{ id: 'decimals', value: decimals }]),
      ...(meanings === undefined
        ? []
        : [
            { id: 'mappings', value: [valueMapping(meanings)] },
            { id: 'custom.cellOptions', value: { type: 'color-text' } },
          ]),
    ]);
  }
  return builder;
}

const refId = (index: number) => String.fromCharCode('A'.charCodeAt(0) + index);

function target({ expr, legend = '' }: Query, index: number): DataqueryBuilder {
  return new DataqueryBuilder().datasource(DATASOURCE).refId(refId(index)).expr(expr).legendFormat(legend);
}

/** The methods that the library's builders of panels have in common. */
interface CommonBuilder {
  title(title: string): this;
  description(description: string): this;
  datasource(datasource: typeof DATASOURCE): this;
  unit(unit: string): this;
  span(width: number): this;
  height(height: number): this;
  thresholds(thresholds: ThresholdsConfigBuilder): this;
  links(links: DashboardLinkBuilder[]): this;
}

function described<B extends CommonBuilder>(
  builder: B,
  options: PanelOptions,
  size: { readonly width: number; readonly height: number },
): B {
  const { title, description, unit, width = size.width, height = size.height, limits, alerts = [] } = options;
  builder.title(title).description(description).datasource(DATASOURCE).unit(unit).span(width).height(height);
  builder.thresholds(new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps(limits)));
  const links = alerts.map((alert) =>
    new DashboardLinkBuilder(`Runbook: ${alert}`).type(DashboardLinkType.Link).url(runbookUrl(alert)).targetBlank(true),
  );
  if (links.length > 0) builder.links(links);
  return builder;
}

/** Limits whose red is below their orange are for values of which less is worse. */
function steps(limits: PanelOptions['limits']): Threshold[] {
  if (limits === undefined) return [{ color: 'green', value: null }];
  const { orange, red } = limits;
  if (red < orange)
    return [
      { color: 'red', value: null },
      { color: 'orange', value: red },
      { color: 'green', value: orange },
    ];
  return [
    { color: 'green', value: null },
    { color: 'orange', value: orange },
    { color: 'red', value: red },
  ];
}
