import { useEffect, useMemo, useState } from 'react';
import { useFormat } from '../../../kit/format.tsx';
import { type Period, type PeriodPreset, periodOfText, periodText, type Range, rangeOf } from '../../../kit/period.ts';
import { useSearchState } from '../../../shell/search.ts';
import { type Bucket, bucketOf, onSums } from './buckets.ts';

const MINUTE = 60_000;

export interface PeriodInUse {
  readonly period: Period;
  /** The period in the address, for links to other pages. */
  readonly text: string;
  readonly range: Range;
  readonly bucket: Bucket;
  /** The query for usage. */
  readonly query: {
    readonly from: string;
    readonly to: string;
    readonly bucket: Bucket;
    readonly time_zone: string;
  };
  /** The useful polling interval. */
  readonly every: number;
  choose(period: Period): void;
}

/** Returns the period in the address; its end moves with the clock. */
export function usePeriod(usual: PeriodPreset = 'week'): PeriodInUse {
  const { values, set } = useSearchState(['period']);
  const { timeZone } = useFormat();
  const minute = useMinute();
  const written = values.period;
  return useMemo(() => {
    const period = periodOfText(written) ?? { preset: usual };
    const range = onSums(rangeOf(period, new Date(minute)));
    const bucket = bucketOf(range);
    return {
      ...{ period, text: periodText(period), range, bucket },
      query: { ...range, bucket, time_zone: timeZone },
      every: MINUTE,
      choose: (next) => set({ period: 'preset' in next && next.preset === usual ? '' : periodText(next) }),
    };
  }, [written, usual, minute, timeZone, set]);
}

/** Returns the end of the current minute; does not advance while the page is hidden. */
function useMinute(): number {
  const [minute, setMinute] = useState(endOfMinute);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setMinute(endOfMinute()), 5_000);
    return () => clearInterval(timer);
  }, []);
  return minute;
}

function endOfMinute(): number {
  return (Math.floor(Date.now() / MINUTE) + 1) * MINUTE;
}
