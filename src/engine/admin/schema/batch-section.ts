import { z } from 'zod';
import { integer, MAP } from '../../../providers/shared/file-fields.ts';
import { type BatchSettings, DEFAULT_BATCHES } from '../../settings/settings.ts';
import { batchPricePercent } from './fields.ts';

const MOST_BYTES = 1024 ** 5;
const bytes = integer('must be a number of bytes from 1 to 1125899906842624', 1, MOST_BYTES);

export const batchesSchema = z.strictObject(
  {
    price_percent: batchPricePercent.nullish(),
    relay_price_percent: batchPricePercent.nullish(),
    max_relayed: integer('must be a whole number from 1 to 10000', 1, 10_000).nullish(),
    share_percent: integer('must be a whole percentage from 1 to 100', 1, 100).nullish(),
    lines_at_once: integer('must be a whole number from 1 to 1000', 1, 1_000).nullish(),
    all_lines_at_once: integer('must be a whole number from 1 to 1000', 1, 1_000).nullish(),
    max_lines: integer('must be a whole number from 1 to 1000000', 1, 1_000_000).nullish(),
    max_open_per_account: integer('must be a whole number from 1 to 100000', 1, 100_000).nullish(),
    max_file_bytes: bytes.nullish(),
    max_files_per_account: integer('must be a whole number from 1 to 1000000', 1, 1_000_000).nullish(),
    max_file_bytes_per_account: bytes.nullish(),
  },
  MAP,
);

export function batchesFrom(section: z.output<typeof batchesSchema>): BatchSettings {
  return {
    pricePercent: section.price_percent ?? DEFAULT_BATCHES.pricePercent,
    relayPricePercent: section.relay_price_percent ?? DEFAULT_BATCHES.relayPricePercent,
    maxRelayed: section.max_relayed ?? DEFAULT_BATCHES.maxRelayed,
    sharePercent: section.share_percent ?? DEFAULT_BATCHES.sharePercent,
    linesAtOnce: section.lines_at_once ?? DEFAULT_BATCHES.linesAtOnce,
    allLinesAtOnce: section.all_lines_at_once ?? DEFAULT_BATCHES.allLinesAtOnce,
    maxLines: section.max_lines ?? DEFAULT_BATCHES.maxLines,
    maxOpenPerAccount: section.max_open_per_account ?? DEFAULT_BATCHES.maxOpenPerAccount,
    maxFileBytes: section.max_file_bytes ?? DEFAULT_BATCHES.maxFileBytes,
    maxFilesPerAccount: section.max_files_per_account ?? DEFAULT_BATCHES.maxFilesPerAccount,
    maxFileBytesPerAccount: section.max_file_bytes_per_account ?? DEFAULT_BATCHES.maxFileBytesPerAccount,
  };
}
