import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Returns the id of a line for the provider. It reveals nothing but the place of the line in its file, and the id of another batch cannot be
 * mistaken for one of this.
 */
export function customIdOf(relayId: string, number: number): string {
  return `${number}-${proofOf(relayId, number)}`;
}

/** Returns the number of the line with this id; `null` if the batch has given no line this id. */
export function numberOf(relayId: string, customId: unknown): number | null {
  if (typeof customId !== 'string') return null;
  const found = /^([1-9]\d{0,9})-([0-9a-f]{24})$/.exec(customId);
  if (found === null) return null;
  const number = Number(found[1]);
  const isOwn = timingSafeEqual(Buffer.from(found[2] ?? ''), Buffer.from(proofOf(relayId, number)));
  return isOwn ? number : null;
}

function proofOf(relayId: string, number: number): string {
  return createHash('sha256').update(`${relayId} ${number}`).digest('hex').slice(0, 24);
}
