import { type ArchivedCharge, ArchiveFileError, type ArchiveHeader } from '../../engine/ports/ledger-archive.ts';

const FORMAT = 'switchyard-ledger-charges';
const VERSION = 1;

export function headerLine({ number, beforeMs, previousSha256 }: ArchiveHeader): string {
  const before = new Date(beforeMs).toISOString();
  return JSON.stringify({ format: FORMAT, version: VERSION, number, before, previous_sha256: previousSha256 });
}

/** Throws `ArchiveFileError`. */
export function headerFrom(line: string, name: string): ArchiveHeader {
  const words = wordsFrom(line, name);
  const { number, before, previous_sha256: previousSha256 = null } = words;
  if (words.format !== FORMAT) throw new ArchiveFileError(`"${name}" is not a ledger archive`);
  if (words.version !== VERSION)
    throw new ArchiveFileError(`"${name}" has version ${String(words.version)}; this program reads version ${VERSION}`);
  const isPrevious = previousSha256 === null || typeof previousSha256 === 'string';
  if (typeof number !== 'number' || typeof before !== 'string' || !isPrevious)
    throw new ArchiveFileError(`the first line of "${name}" is damaged`);
  return { number, beforeMs: Date.parse(before), previousSha256 };
}

export function chargeLine(charge: ArchivedCharge): string {
  return JSON.stringify({
    sequence: charge.sequence,
    at: new Date(charge.atMs).toISOString(),
    account: charge.accountId,
    key: charge.keyId,
    request_id: charge.requestId,
    amount_nano_usd: charge.amountNanoUsd.toString(),
    ...(charge.countedAtMs === null ? {} : { counted_at: new Date(charge.countedAtMs).toISOString() }),
  });
}

/** Throws `ArchiveFileError`. */
export function chargeFrom(line: string, name: string): ArchivedCharge {
  const words = wordsFrom(line, name);
  const { sequence, at, account, key, request_id: requestId, amount_nano_usd: amount, counted_at: counted } = words;
  const isWhole =
    typeof sequence === 'number' &&
    typeof at === 'string' &&
    typeof account === 'string' &&
    (key === null || typeof key === 'string') &&
    typeof requestId === 'string' &&
    typeof amount === 'string' &&
    /^-?\d+$/.test(amount);
  if (!isWhole) throw damaged(name);
  return {
    sequence,
    requestId,
    accountId: account,
    keyId: key,
    amountNanoUsd: BigInt(amount),
    atMs: Date.parse(at),
    countedAtMs: typeof counted === 'string' ? Date.parse(counted) : null,
  };
}

function wordsFrom(line: string, name: string): Readonly<Record<string, unknown>> {
  try {
    const words: unknown = JSON.parse(line);
    if (typeof words === 'object' && words !== null) return words as Readonly<Record<string, unknown>>;
  } catch {
    // Reported below.
  }
  throw damaged(name);
}

export function damaged(name: string): ArchiveFileError {
  return new ArchiveFileError(`"${name}" is damaged: restore it from a backup`);
}
