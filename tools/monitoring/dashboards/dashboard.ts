import {
  AnnotationQueryBuilder,
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { RUNBOOKS_URL } from '../runbooks.ts';
import { DATASOURCE, type PanelSource } from './panels.ts';

/** A dashboard before it is laid out. */
export interface DashboardSource {
  /** The name of its file, and the last part of its address in Grafana (`/d/switchyard-NAME`). */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The variables that it has besides the data source, the job and the instance. */
  readonly variables?: readonly LabelVariable[];
  readonly rows: readonly Row[];
}

export interface Row {
  readonly title: string;
  readonly panels: readonly PanelSource[];
}

/** A variable with the values that a label of a metric has. */
export interface LabelVariable {
  readonly name: string;
  readonly label: string;
  readonly metric: string;
}

export const CHANNEL: LabelVariable = { name: 'channel', label: 'Channel', metric: 'switchyard_attempts_total' };
export const MODEL: LabelVariable = { name: 'model', label: 'Model', metric: 'switchyard_requests_total' };

/** The tag by which the dashboards link to each other. */
const TAG = 'switchyard';

/** Returns the dashboard as Grafana's JSON. */
export function built(source: DashboardSource): Dashboard {
  const builder = new DashboardBuilder(`Switchyard: ${source.title}`)
    .uid(`switchyard-${source.name}`)
    .description(source.description)
    .tags([TAG])
    .readonly()
    .tooltip(DashboardCursorSync.Crosshair)
    .refresh('30s')
    .time({ from: 'now-6h', to: 'now' })
    .withVariable(new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'))
    .withVariable(variable({ name: 'job', label: 'Job', metric: 'switchyard_requests_in_flight' }))
    .withVariable(variable({ name: 'instance', label: 'Instance', metric: 'switchyard_requests_in_flight' }, true));
  for (const own of source.variables ?? []) builder.withVariable(variable(own, true));
  for (const { title, panels } of source.rows) {
    builder.withRow(new RowBuilder(title));
    for (const panel of panels) builder.withPanel(panel);
  }
  builder
    .link(
      new DashboardLinkBuilder('Switchyard')
        .type(DashboardLinkType.Dashboards)
        .tags([TAG])
        .asDropdown(true)
        .includeVars(true)
        .keepTime(true),
    )
    .link(
      new DashboardLinkBuilder('Runbooks').type(DashboardLinkType.Link).url(RUNBOOKS_URL).icon('doc').targetBlank(true),
    );
  for (const { name, color, expr, text } of ANNOTATIONS) {
    builder.annotation(
      new AnnotationQueryBuilder()
        .name(name)
        .datasource(DATASOURCE)
        .enable(true)
        .iconColor(color)
        .expr(expr)
        .titleFormat(text)
        .step('30s'),
    );
  }
  return finished(builder.build());
}

const ANNOTATIONS = [
  {
    name: 'Starts',
    color: 'blue',
    expr: 'changes(process_start_time_seconds{job=~"$job", instance=~"$instance"}[1m]) > 0',
    text: '{{instance}} started',
  },
  {
    name: 'Alerts',
    color: 'red',
    expr: 'ALERTS{alertname=~"Switchyard.*", alertstate="firing", severity="critical"}',
    text: '{{alertname}}',
  },
];

/** All values match by default, also of series that lack the label. */
function variable({ name, label, metric }: LabelVariable, isOfJob = false): QueryVariableBuilder {
  const selector = isOfJob ? `${metric}{job=~"$job"}` : metric;
  return new QueryVariableBuilder(name)
    .label(label)
    .datasource(DATASOURCE)
    .query({ query: `label_values(${selector}, ${name})`, refId: name })
    .definition(`label_values(${selector}, ${name})`)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc)
    .multi(true)
    .includeAll(true)
    .allValue('.*')
    .current({ text: ['All'], value: ['$__all'], selected: true });
}

/**
 * Numbers the panels, so that a link to one stays valid, and removes the library's defaults that place links and annotations in a menu,
 * which Grafana 12.2 and older do not know.
 */
function finished(dashboard: Dashboard): Dashboard {
  let id = 0;
  for (const panel of dashboard.panels ?? []) panel.id = ++id;
  for (const link of dashboard.links ?? []) delete link.placement;
  for (const panel of dashboard.panels ?? [])
    if ('links' in panel) for (const link of panel.links ?? []) delete link.placement;
  for (const annotation of dashboard.annotations?.list ?? []) delete annotation.placement;
  return dashboard;
}
