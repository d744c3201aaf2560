import type { UsageOverview } from '../../../api/schema.ts';
import { type Formats, useFormat, useMoney } from '../../../kit/format.tsx';
import { costOf } from '../../../kit/money.ts';
import { Stat, type StatProps, StatRow } from '../../../kit/panel.tsx';
import type { Tone } from '../../../kit/status.tsx';
import { kitText } from '../../../text/kit.ts';
import { useText } from '../../../text/text.tsx';
import { usageText } from '../../../text/usage.ts';
import type { DetailedSums } from './metrics.ts';
import { errorRateOf, growth, tokensOf } from './sums.ts';

interface Measure {
  readonly label: string;
  readonly of: (sums: DetailedSums) => number | null;
  readonly show: (value: number, sums: DetailedSums) => string;
  /** Whether an increase is good; undefined if neutral. */
  readonly isMoreGood?: boolean;
  /** Whether its difference is shown in percentage points. */
  readonly isShare?: boolean;
  /** A remark below the number. */
  readonly note?: (sums: DetailedSums) => string | null;
}

type Words = (typeof usageText)['en'];
type KitWords = (typeof kitText)['en'];

/** Returns the four measures that matter most, and the others. */
function measures(
  text: Words,
  kit: KitWords,
  format: Formats,
  money: ReturnType<typeof useMoney>,
  hasPercentiles: boolean,
) {
  const time = (label: string, of: Measure['of']): Measure => ({
    ...{ label, of, show: (value) => format.duration(value), isMoreGood: false },
  });
  const main: readonly Measure[] = [
    {
      ...{ label: text.spend, of: (sums) => Number(sums.cost_usd), show: (_, sums) => money(costOf(sums)) },
      note: (sums) =>
        costOf(sums) === null || !sums.unpriced_requests ? null : kit.plusUnpriced(sums.unpriced_requests),
    },
    { label: text.requests, of: ({ requests }) => requests, show: (value) => format.number(value) },
    {
      ...{ label: text.errorRate, of: errorRateOf, show: (value) => format.percent(value) },
      ...{ isMoreGood: false, isShare: true },
    },
    hasPercentiles ? time(text.p95, (sums) => sums.latency_p95_ms) : time(text.latency, ({ latency_ms }) => latency_ms),
  ];
  const others: readonly Measure[] = [
    { label: text.tokens, of: tokensOf, show: (value) => format.compact(value) },
    ...(hasPercentiles ? [time(text.median, (sums) => sums.latency_p50_ms)] : []),
    time(text.firstByte, ({ first_byte_ms }) => first_byte_ms),
    {
      ...{ label: text.cacheHits, of: ({ cache_hits }) => cache_hits, show: (value) => format.number(value) },
      isMoreGood: true,
    },
    {
      ...{ label: text.saved, of: (sums) => Number(sums.saved_usd), show: (_, sums) => money(sums.saved_usd) },
      isMoreGood: true,
    },
  ];
  return { main, others };
}

/** The numbers of a period, each compared with the previous one. */
export function Tiles({ total, previous }: Pick<UsageOverview, 'total' | 'previous'>) {
  const text = useText(usageText);
  const format = useFormat();
  const kit = useText(kitText);
  const money = useMoney();
  const hasPercentiles = total.latency_p95_ms !== null || total.latency_ms === null;
  const { main, others } = measures(text, kit, format, money, hasPercentiles);
  const stats = (some: readonly Measure[], size: 'large' | 'small') =>
    some.map((measure) => (
      <Stat key={measure.label} size={size} {...statOf(measure, { total, previous, text, format })} />
    ));
  return (
    <div className="flex flex-col gap-3">
      <StatRow isInFours>{stats(main, 'large')}</StatRow>
      <StatRow>{stats(others, 'small')}</StatRow>
    </div>
  );
}

interface Compared extends Pick<UsageOverview, 'total' | 'previous'> {
  readonly text: Words;
  readonly format: Formats;
}

function statOf(measure: Measure, { total, previous, text, format }: Compared): StatProps {
  const { label, of, show, isShare = false, note } = measure;
  const [now, before] = [of(total), of(previous)];
  const value = now === null ? '–' : show(now, total);
  const remark = note?.(total) ?? null;
  const noted = (hint: string) => (remark === null ? hint : `${remark} · ${hint}`);
  if (previous.requests === 0 || before === null) return { label, value, hint: noted(text.noBefore) };
  const hint = noted(text.before(show(before, previous)));
  const moved = isShare ? (now === null ? null : now - before) : growth(now, before);
  if (moved === null) return { label, value, hint };
  const said = isShare ? text.points(signed(moved * 100, format)) : format.change(moved);
  return { label, value, hint, change: { text: said, tone: toneOf(moved, measure) } };
}

function signed(value: number, { locale }: Formats): string {
  return new Intl.NumberFormat(locale, { signDisplay: 'exceptZero', maximumFractionDigits: 1 }).format(value);
}

/** Smaller changes count as none. */
const STILL = 0.005;

function toneOf(moved: number, { isMoreGood }: Measure): Tone {
  if (isMoreGood === undefined || Math.abs(moved) < STILL) return 'neutral';
  return moved > 0 === isMoreGood ? 'good' : 'bad';
}
