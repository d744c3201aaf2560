import type { ChannelLatency, LatencyQuery } from '../../../engine/ports/request-log.ts';
import { RECOVERED_STORY } from '../../shared/tables/request-log.ts';
import { type SqlDialect, type SqlRow, type Statement, statement } from '../program.ts';

/** The columns of a line that decide whether it counts. */
const COLUMNS = 'channel_id, account_id, latency_ms, first_byte_ms, cache_match, error_code, client_gone, story';

/** The place of the 95th percentile among sorted values (nearest rank), in whole numbers. */
const PLACE = '(samples * 95 + 99) / 100';

/**
 * Returns the statement of `RequestLog.latencies`. The only index of the log is by time, so each span reads its newest lines, and the
 * conditions apply to those: a rare channel must not scan the log.
 */
export function latencyStatement(
  { spans, linesPerSpan, channelIds, accountId }: LatencyQuery,
  dialect: SqlDialect,
): Statement {
  return statement(dialect, (sql) => {
    const limit = dialect.integer(sql.put(linesPerSpan));
    const lines = spans.map(({ fromMs, toMs }, place) => {
      const range = `at_ms >= ${sql.put(fromMs)} AND at_ms < ${sql.put(toMs)}`;
      return `SELECT * FROM (SELECT ${COLUMNS} FROM request_log WHERE ${range} ORDER BY at_ms DESC LIMIT ${limit}) AS span_${place}`;
    });
    const conditions = [
      `channel_id ${dialect.inList(sql.put(JSON.stringify(channelIds)), 'text')}`,
      ...(accountId === null ? [] : [`account_id = ${sql.put(accountId)}`]),
      'cache_match IS NULL AND error_code IS NULL AND client_gone = 0',
      `(story IS NULL OR story <> '${RECOVERED_STORY}')`,
    ];
    return `
      WITH counted AS (
        SELECT channel_id, latency_ms, first_byte_ms FROM (${lines.join(' UNION ALL ')}) AS lines
        WHERE ${conditions.join(' AND ')}
      )
      ${percentiles('latency_ms')} UNION ALL ${percentiles('first_byte_ms')}
    `;
  });
}

function percentiles(column: 'latency_ms' | 'first_byte_ms'): string {
  const ofChannel = 'OVER (PARTITION BY channel_id';
  return `
    SELECT '${column}' AS measure, channel_id, value, samples FROM (
      SELECT channel_id, ${column} AS value, row_number() ${ofChannel} ORDER BY ${column}) AS place, count(*) ${ofChannel}) AS samples
      FROM counted WHERE ${column} IS NOT NULL
    ) AS placed_${column} WHERE place = ${PLACE}
  `;
}

export function latenciesOf(rows: readonly SqlRow[]): readonly ChannelLatency[] {
  const of = (measure: string) => rows.filter((row) => row.measure === measure);
  const firstBytes = new Map(of('first_byte_ms').map((row) => [row.channel_id, Number(row.value)]));
  return of('latency_ms').map((row) => ({
    channelId: String(row.channel_id),
    samples: Number(row.samples),
    latencyMs: Number(row.value),
    firstByteMs: firstBytes.get(row.channel_id) ?? null,
  }));
}
