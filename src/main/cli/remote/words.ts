import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { printable } from '../table.ts';

const ESCAPES = { red: '31', yellow: '33', green: '32', dim: '2', bold: '1', inverse: '7' } as const;
export type Style = keyof typeof ESCAPES;

/** Writes a text in a style, or as it is. */
export type Paint = (style: Style, text: string) => string;

export const PLAIN: Paint = (_style, text) => text;
export const COLORED: Paint = (style, text) => `\u001b[${ESCAPES[style]}m${text}\u001b[0m`;

/** Returns how to paint for an output: in colour only on a terminal, and never if `NO_COLOR` is set (no-color.org) or `TERM` is `dumb`. */
export function paintFor(isTerminal: boolean, environment: Readonly<Record<string, string | undefined>>): Paint {
  const { NO_COLOR: noColor = '', TERM: terminal } = environment;
  return isTerminal && noColor === '' && terminal !== 'dumb' ? COLORED : PLAIN;
}

/** Formats a duration in at most six columns: `850ms`, `1.24s`, `2m05s`. */
export function shortDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(2)}s`;
  if (ms < 100_000) return `${(ms / 1_000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 6_000) return `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
  return `${Math.round(seconds / 3_600)}h`;
}

const SIZES = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const;

/** Formats a number in at most five columns: `950`, `1.2k`, `34k`, `5.6M`. */
export function shortNumber(value: number): string {
  const [size, unit] = SIZES.find(([least]) => value >= least) ?? [1, ''];
  const scaled = value / size;
  return `${scaled < 10 ? Number(scaled.toFixed(1)) : Math.round(scaled)}${unit}`;
}

/** Formats an amount in nano-USD, cut to cents, and below a dollar to two significant digits: `$0.0012`, `$1.25`. */
export function shortDollars(nanoUsd: bigint): string {
  const [dollars = '0', fraction = ''] = formatNanoUsd(nanoUsd).split('.');
  const kept = dollars === '0' ? /^0*\d{1,2}/.exec(fraction)?.[0] : fraction.slice(0, 2);
  return kept === undefined || kept === '' ? `$${dollars}` : `$${dollars}.${kept.padEnd(2, '0')}`;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Returns the text without control characters, cut with an ellipsis to the width in columns, and never padded. */
export function cut(text: string, width: number): string {
  // Longer texts are cut in any case, and need not be measured.
  const safe = printable(text.slice(0, 2_000));
  if (Bun.stringWidth(safe) <= width) return safe;
  if (width <= 0) return '';
  let kept = '';
  let columns = 0;
  for (const { segment } of graphemes.segment(safe)) {
    const more = Bun.stringWidth(segment);
    if (columns + more > width - 1) break;
    kept += segment;
    columns += more;
  }
  return `${kept}…`;
}

/** Returns the text cut or padded to exactly the width. */
export function fit(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const shown = cut(text, width);
  const room = ' '.repeat(Math.max(0, width - Bun.stringWidth(shown)));
  return side === 'left' ? shown + room : room + shown;
}
