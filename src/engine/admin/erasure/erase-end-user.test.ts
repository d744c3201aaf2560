import { expect, test } from 'bun:test';
import { EndUsers } from '../../call/end-users.ts';
import type { NewAuditEntry } from '../../ports/audit-log.ts';
import { sampleAccount } from '../../ports/testing/samples.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { type EndUserErasurePorts, endUserErasures } from './erase-end-user.ts';

const BY = {
  origin: { actor: { kind: 'command_line', id: null, name: 'root' }, address: null, requestId: null },
} as const;
const OF = { accountId: 'acme', name: 'ann' };

function scene() {
  const gate = Promise.withResolvers<void>();
  const entries: NewAuditEntry[] = [];
  const tags = new Set<string>();
  const state = { isBroken: false };
  const endUsers = new EndUsers('off', new Uint8Array(32));
  const ports: EndUserErasurePorts = {
    accountErasures: {
      removeTag: async ({ tag }) => {
        await gate.promise;
        if (state.isBroken) throw new Error('away');
        tags.add(tag);
        return { removed: 1, next: null };
      },
    },
    audit: { append: async (added) => void entries.push(...added) },
    // Only the account is read.
    directory: { read: async () => ({ accounts: [sampleAccount({ id: 'acme' })] }) as any, accounts: async () => [] },
    endUsers,
    clock: new FakeClock(),
  };
  return { state, gate, entries, tags, hash: endUsers.hashed('acme', 'ann'), erase: endUserErasures(ports) };
}

test('one end user is erased at a time, and a failure lets the next one in', async () => {
  const { state, gate, erase, tags, entries, hash } = scene();
  const first = erase(BY, OF);
  await expect(erase(BY, OF)).rejects.toThrow('another end user is being erased');
  gate.resolve();
  expect(await first).toEqual({ hash, removed: { usage: 3, requestLines: 3, tasks: 3, holds: 3 } });
  expect([...tags]).toEqual(['end_user=ann', `end_user=${hash}`, 'user_id=ann']);
  expect(entries).toMatchObject([{ action: 'end_user.erase', accountId: 'acme', objectId: hash }]);
  state.isBroken = true;
  await expect(erase(BY, OF)).rejects.toThrow('away');
  state.isBroken = false;
  expect((await erase(BY, OF)).hash).toBe(hash);
});
