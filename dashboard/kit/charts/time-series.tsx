import { ChartLine, Table2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { kitText } from '../../text/kit.ts';
import { useText } from '../../text/text.tsx';
import { IconButton } from '../button.tsx';
import { Skeleton } from '../status.tsx';
import { colourOf, shown, type TimeSeriesProps, useTimes, valueAxisOf } from './series.ts';

export type { Series, SeriesRow, TimeSeriesProps } from './series.ts';

/** A separate chunk: recharts is larger than the rest of a page. */
const Plot = lazy(() => import('./time-series-plot.tsx'));

/** Values over time, as a chart or as a table of the same numbers. */
export function TimeSeries({ height = 240, ...props }: TimeSeriesProps) {
  const { rows, series, label } = props;
  const text = useText(kitText);
  const [isTable, setIsTable] = useState(false);
  return (
    <figure aria-label={label} className="flex min-w-0 flex-col gap-2">
      <div className="flex items-start justify-between gap-2">
        <ul className="flex min-w-0 flex-1 flex-wrap gap-x-4 gap-y-1 pt-1 text-soft text-xs">
          {series.map((one, index) => (
            <li key={one.name} className="flex min-w-0 items-center gap-1.5">
              <span aria-hidden className="size-2.5 shrink-0 rounded-xs" style={{ background: colourOf(one, index) }} />
              <span className="min-w-0 break-all">{one.name}</span>
            </li>
          ))}
        </ul>
        {rows.length > 0 && !isTable && valueAxisOf(props).isLog && (
          <span className="shrink-0 pt-1 text-soft text-xs">{text.logScale}</span>
        )}
        <IconButton
          size="small"
          label={isTable ? text.asChart : text.asTable}
          icon={isTable ? ChartLine : Table2}
          onClick={() => setIsTable(!isTable)}
        />
      </div>
      <div style={{ height }} className="min-w-0">
        {rows.length === 0 ? (
          <p className="flex h-full items-center justify-center text-soft text-sm">{text.noData}</p>
        ) : isTable ? (
          <Numbers {...props} />
        ) : (
          <Suspense fallback={<Skeleton className="h-full w-full" />}>
            <Plot {...props} />
          </Suspense>
        )}
      </div>
    </figure>
  );
}

function Numbers({ rows, series, format, label }: TimeSeriesProps) {
  const text = useText(kitText);
  const { time } = useTimes(rows);
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
      className="h-full overflow-auto rounded-md border border-line"
    >
      <table className="numbers w-full text-xs">
        <thead className="sticky top-0 bg-panel">
          <tr>
            <th scope="col" className="px-2 py-1 text-left font-medium">
              {text.time}
            </th>
            {series.map(({ name }) => (
              <th key={name} scope="col" className="px-2 py-1 text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ at, values }) => (
            <tr key={at} className="border-line border-t">
              <th scope="row" className="px-2 py-1 text-left font-normal whitespace-nowrap">
                {time(at)}
              </th>
              {series.map(({ name }, index) => (
                <td key={name} className="px-2 py-1 text-right whitespace-nowrap">
                  {shown(values[index], format)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
