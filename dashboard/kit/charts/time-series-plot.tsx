import {
  Area,
  Bar,
  CartesianGrid,
  ComposedChart,
  Line,
  ResponsiveContainer,
  Tooltip,
  type TooltipContentProps,
  XAxis,
  YAxis,
} from 'recharts';
import { useFormat } from '../format.tsx';
import {
  colourOf,
  type Series,
  type SeriesRow,
  shown,
  type TimeSeriesProps,
  tickFormat,
  useTimes,
  valueAxisOf,
} from './series.ts';

const TICK = { fill: 'var(--soft)', fontSize: 11 };
/** The same for all charts, so that the times of neighbouring ones are in line. */
const VALUES_WIDTH = 58;

/**
 * The chart that `TimeSeries` loads when it is first drawn. Series are identified by index, since names contain dots. Animations are off.
 */
export default function TimeSeriesPlot(props: Omit<TimeSeriesProps, 'height'>) {
  const { rows, series, kind, format, unit = 'count' } = props;
  const times = useTimes(rows);
  const formats = useFormat();
  const { ticks, isLog } = valueAxisOf(props);
  return (
    <ResponsiveContainer width="100%" height="100%">
      <ComposedChart data={[...rows]} margin={{ top: 6, right: 6, bottom: 0, left: 0 }} title={props.label}>
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="at"
          scale="band"
          tickFormatter={times.tick}
          tick={TICK}
          {...(times.ticks && { ticks: [...times.ticks] })}
          minTickGap={32}
          tickLine={false}
          stroke="var(--line)"
        />
        <YAxis
          tickFormatter={ticks === null ? format : tickFormat(unit, ticks, formats)}
          tick={TICK}
          tickLine={false}
          axisLine={false}
          width={VALUES_WIDTH}
          {...(ticks !== null && {
            ticks: [...ticks],
            domain: [ticks[0] ?? 0, ticks.at(-1) ?? 1],
            interval: 0,
            allowDataOverflow: true,
          })}
          {...(isLog && { scale: 'log' })}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={kind === 'bars' ? { fill: 'var(--hover)' } : { stroke: 'var(--strong-line)' }}
          content={(tip) => <Tip tip={tip} series={series} format={format} time={times.time} />}
        />
        {series.map((one, index) => mark({ ...props, least: isLog ? ticks?.[0] : undefined }, one, index))}
      </ComposedChart>
    </ResponsiveContainer>
  );
}

interface MarkProps extends Pick<TimeSeriesProps, 'kind' | 'isStacked' | 'rows'> {
  /** The lower end of a logarithmic axis, which has no zero. */
  readonly least: number | undefined;
}

function mark({ kind, isStacked = false, rows, least }: MarkProps, series: Series, index: number) {
  const colour = colourOf(series, index);
  const common = {
    dataKey: ({ values }: SeriesRow) => {
      const value = values[index];
      return typeof value === 'number' && least !== undefined ? Math.max(value, least) : value;
    },
    name: series.name,
    isAnimationActive: false,
    ...(isStacked && { stackId: 'all' }),
  } as const;
  const dot = (place: DotPlace) =>
    isAlone(rows, index, place.index) ? (
      <circle key={place.index} cx={place.cx} cy={place.cy} r={2} fill={colour} />
    ) : (
      <g key={place.index} />
    );
  const line = { type: 'monotone', stroke: colour, strokeWidth: 2, dot } as const;
  if (kind === 'bars') return <Bar key={index} {...common} fill={colour} maxBarSize={40} />;
  if (kind === 'area') return <Area key={index} {...common} {...line} fill={colour} fillOpacity={0.18} />;
  return <Line key={index} {...common} {...line} />;
}

interface DotPlace {
  readonly index: number;
  readonly cx?: number;
  readonly cy?: number;
}

/** Returns whether a point has no neighbours: a line through a single point is invisible. */
function isAlone(rows: readonly SeriesRow[], series: number, at: number): boolean {
  const isThere = (index: number) => typeof rows[index]?.values[series] === 'number';
  return isThere(at) && !isThere(at - 1) && !isThere(at + 1);
}

interface TipProps {
  readonly tip: TooltipContentProps;
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  readonly time: (at: number) => string;
}

function Tip({ tip: { active, payload }, series, format, time }: TipProps) {
  const row: SeriesRow | undefined = payload[0]?.payload;
  if (!active || row === undefined) return null;
  return (
    <div className="max-w-72 rounded-md border border-line bg-panel px-3 py-2 text-text text-xs shadow-pop">
      <p className="font-medium">{time(row.at)}</p>
      <ul>
        {series.map((one, index) => (
          <li key={one.name} className="flex items-center gap-1.5">
            <span aria-hidden className="size-2 shrink-0 rounded-xs" style={{ background: colourOf(one, index) }} />
            <span className="min-w-0 flex-1 break-all">{one.name}</span>
            <span className="numbers pl-3">{shown(row.values[index], format)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
