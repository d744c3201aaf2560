import { type ComponentLevels, parseLevels, severityOf } from '../../domain/logs/component-levels.ts';
import type { MessageAt } from '../../domain/logs/events.ts';
import type { LogFields, OnlyLogFields } from '../../domain/logs/fields.ts';
import type { QueueFigures } from '../../engine/ports/figures.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { DEFAULT_LOGS, type LogFormat, type LogSettings } from '../../engine/settings/logs.ts';
import { BatchedOutput, type LineOutput } from './batched-output.ts';
import { KNOWN_EVENTS, type KnownEvent, membersOf } from './line.ts';
import { type LineStyle, prettyLine } from './pretty.ts';
import { requestMembers } from './request-line.ts';

export interface LoggerOptions {
  readonly settings: LogSettings;
  /** The format without a setting. */
  readonly usualFormat: LogFormat;
  /** The default is standard output, in batches, so that no request waits for a terminal or a slow pipe. */
  readonly output?: LineOutput | undefined;
  readonly style: LineStyle;
  /** Fields of all lines of this process. */
  readonly base: LogFields;
}

/** A further reader of the lines, as JSON. */
export type LineReader = (line: string) => void;

/** Writes one line for each event: JSON, or a text for people. */
export class LineLogger implements Logger {
  private readonly output: LineOutput;
  private readonly base: string;
  private readonly style: LineStyle;
  private readonly usualFormat: LogFormat;
  private settings: LogSettings;
  private levels: ComponentLevels;
  private isPretty: boolean;
  private successes = 0;
  private reader: LineReader | null = null;

  constructor({ output, style, base, usualFormat, settings }: LoggerOptions) {
    this.output =
      output ??
      new BatchedOutput((dropped) => this.warn({ dropped }, 'log lines were dropped: standard output is too slow'));
    this.style = style;
    this.base = membersOf(base, false);
    this.usualFormat = usualFormat;
    this.settings = settings;
    this.levels = settings.levels;
    this.isPretty = (settings.format ?? usualFormat) === 'pretty';
  }

  /** The lines that wait while the output is blocked; `null` if it writes at once. */
  get queue(): QueueFigures | null {
    return this.output.figures ?? null;
  }

  /** Applies settings to the lines that follow. */
  set(settings: LogSettings): void {
    this.settings = settings;
    this.levels = settings.levels;
    this.isPretty = (settings.format ?? this.usualFormat) === 'pretty';
  }

  /** Writes a line of another kind to the same output. It ends with a newline. */
  readonly writeOther = (line: string): void => this.output.write(line);

  /** Also gives every line to this reader; `null` for none. */
  readBy(reader: LineReader | null): void {
    this.reader = reader;
  }

  debug<Fields>(fields: OnlyLogFields<Fields>, message: MessageAt<'debug'>): void {
    this.log(fields, message);
  }

  info<Fields>(fields: OnlyLogFields<Fields>, message: MessageAt<'info'>): void {
    this.log(fields, message);
  }

  warn<Fields>(fields: OnlyLogFields<Fields>, message: MessageAt<'warn'>): void {
    this.log(fields, message);
  }

  error<Fields>(fields: OnlyLogFields<Fields>, message: MessageAt<'error'>): void {
    this.log(fields, message);
  }

  private log(fields: LogFields, message: string): void {
    const known = KNOWN_EVENTS.get(message);
    // The types admit only known messages.
    if (known === undefined) throw new Error(`The message ${JSON.stringify(message)} is not in the table of events.`);
    const threshold = this.levels[known.component];
    if (severityOf(known.level) < threshold) return;
    let sample = '';
    const { sampleSuccesses } = this.settings;
    if (sampleSuccesses > 1 && known.event === 'request' && this.isOrdinary(fields)) {
      if (this.successes++ % sampleSuccesses !== 0) return;
      sample = membersOf({ sampleRate: sampleSuccesses }, false);
    }
    const members = known.isOfRequest
      ? requestMembers(fields) + sample
      : membersOf(fields, threshold <= severityOf('debug'));
    this.write(known, members);
  }

  private isOrdinary({ latencyMs, retryCount, clientGone }: LogFields): boolean {
    return (latencyMs ?? 0) < this.settings.slowMs && (retryCount ?? 0) === 0 && clientGone !== true;
  }

  private write({ start }: KnownEvent, members: string): void {
    const line = `{"time":"${isoTime()}"${start}${this.base}${members}}\n`;
    this.output.write(this.isPretty ? prettyLine(line, this.style) : line);
    this.reader?.(line);
  }
}

/**
 * Creates a logger of JSON lines.
 *
 * @param levels as in `LOG_LEVEL`
 */
export function createLogger(levels: string, output?: LineOutput): LineLogger {
  const parsed = parseLevels(levels);
  if (typeof parsed === 'string') throw new Error(`The levels ${parsed}.`);
  const settings = { ...DEFAULT_LOGS, levels: parsed };
  return new LineLogger({ settings, usualFormat: 'json', style: 'plain', base: {}, output });
}

/** Cached, because all lines of one millisecond share it. */
let lastMs = 0;
let lastTime = '';
function isoTime(): string {
  const nowMs = Date.now();
  if (nowMs !== lastMs) {
    lastMs = nowMs;
    lastTime = new Date(nowMs).toISOString();
  }
  return lastTime;
}
