import type { UsageOverview } from '../../../api/schema.ts';
import { type Formats, useFormat, useMoney } from '../../../kit/format.tsx';
import { costOf } from '../../../kit/money.ts';
import { Stat, type StatProps, StatRow } from '../../../kit/panel.tsx';
import type { Tone } from '../../../kit/status.tsx';
import { useText } from '../../../text/text.tsx';
import { usageText } from '../../../text/usage.ts';
import { errorRateOf, growth, type Sums, tokensOf } from './sums.ts';

interface Measure {
  readonly label: string;
  readonly of: (sums: Sums) => number | null;
  readonly show: (value: number, sums: Sums) => string;
  /** Whether an increase is good; undefined if neutral. */
  readonly isMoreGood?: boolean;
  /** Whether its difference is shown in percentage points. */
  readonly isShare?: boolean;
}

type Words = (typeof usageText)['en'];

function measures(text: Words, format: Formats, money: ReturnType<typeof useMoney>): readonly Measure[] {
  return [
    { label: text.spend, of: (sums) => Number(sums.cost_usd), show: (_, sums) => money(costOf(sums)) },
    { label: text.requests, of: ({ requests }) => requests, show: (value) => format.number(value) },
    { label: text.tokens, of: tokensOf, show: (value) => format.compact(value) },
    {
      ...{ label: text.errorRate, of: errorRateOf, show: (value) => format.percent(value) },
      ...{ isMoreGood: false, isShare: true },
    },
    {
      ...{ label: text.latency, of: ({ latency_ms }) => latency_ms, show: (value) => format.duration(value) },
      isMoreGood: false,
    },
    {
      ...{ label: text.firstByte, of: ({ first_byte_ms }) => first_byte_ms, show: (value) => format.duration(value) },
      isMoreGood: false,
    },
    {
      ...{ label: text.cacheHits, of: ({ cache_hits }) => cache_hits, show: (value) => format.number(value) },
      isMoreGood: true,
    },
    {
      ...{ label: text.saved, of: (sums) => Number(sums.saved_usd), show: (_, sums) => money(sums.saved_usd) },
      isMoreGood: true,
    },
  ];
}

/** The numbers of a period, each compared with the previous one. */
export function Tiles({ total, previous }: Pick<UsageOverview, 'total' | 'previous'>) {
  const text = useText(usageText);
  const format = useFormat();
  const money = useMoney();
  return (
    <StatRow isInFours>
      {measures(text, format, money).map((measure) => (
        <Stat key={measure.label} {...statOf(measure, { total, previous, text, format })} />
      ))}
    </StatRow>
  );
}

interface Compared extends Pick<UsageOverview, 'total' | 'previous'> {
  readonly text: Words;
  readonly format: Formats;
}

function statOf(measure: Measure, { total, previous, text, format }: Compared): StatProps {
  const { label, of, show, isShare = false } = measure;
  const [now, before] = [of(total), of(previous)];
  const value = now === null ? '–' : show(now, total);
  if (previous.requests === 0 || before === null) return { label, value, hint: text.noBefore };
  const hint = text.before(show(before, previous));
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
