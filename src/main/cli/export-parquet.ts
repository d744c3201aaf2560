import { Names } from '../../engine/admin/names.ts';
import { LARGEST_PAGE } from '../../engine/admin/page.ts';
import type { SkippedLine } from '../../engine/ports/export-destination.ts';
import type { LogPlace, RequestLogQuery, RequestRecord } from '../../engine/ports/request-log.ts';
import type { Store } from '../../engine/ports/store.ts';
import { columnsOf } from '../../engine/request-export/rows.ts';
import { ParquetFile } from '../../stores/exports/parquet-file.ts';
import { VERSION } from '../build.ts';

/** The file has the columns of a continuous export. Its lines have no numbers, so that a continuous export replaces them. */
const NO_LOG_ID = 0;

/**
 * Yields the matching lines of the request log as pieces of a Parquet file, newest first, with the names of accounts, keys and channels. A line
 * that no file can hold is passed to `onSkipped` instead.
 */
export async function* requestsAsParquet(
  { requestLog, directory }: Pick<Store, 'requestLog' | 'directory'>,
  query: RequestLogQuery,
  onSkipped: (line: SkippedLine) => void,
): AsyncGenerator<Uint8Array, void> {
  const file = new ParquetFile(`Switchyard ${VERSION}`);
  for (let after: LogPlace | null = null; ; ) {
    const page: Awaited<ReturnType<typeof requestLog.page>> = await requestLog.page(query, after, LARGEST_PAGE);
    const names = await Names.of(directory, page.records.map(idsOf));
    const { columns, skipped } = columnsOf(page.records.map((record) => lineOf(record, names)));
    file.add(columns);
    skipped.forEach(onSkipped);
    yield file.take();
    after = page.next;
    if (after === null) break;
  }
  file.finish();
  yield file.take();
}

function idsOf({ accountId, keyId, channelId }: RequestRecord) {
  return { account: accountId, key: keyId, channel: channelId };
}

function lineOf(record: RequestRecord, names: Names) {
  const { account, key, channel } = idsOf(record);
  const ofLine = {
    account: names.account(account),
    key: names.key(account, key),
    channel: names.channel(channel, account),
  };
  return { id: NO_LOG_ID, record, names: ofLine };
}
