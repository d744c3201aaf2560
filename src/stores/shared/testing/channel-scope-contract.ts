import { beforeEach, expect, test } from 'bun:test';
import type { Credential } from '../../../domain/access/api-key.ts';
import type { DirectoryScope, DirectoryWriter } from '../../../engine/ports/directory-store.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { sampleAccount, sampleChannel, sampleCredential, sampleModel } from '../../../engine/ports/testing/samples.ts';

/** Tests for directory scopes in every store. */
export function channelScopeTests(store: () => Store): void {
  const ids = async (scope: DirectoryScope) => (await store().directory.read(scope)).channels.map(({ id }) => id);

  beforeEach(() =>
    store().directory.write('all', (writer) => {
      for (const id of ['acme', 'globex']) writer.putAccount(sampleAccount({ id }));
      writer.putModel(sampleModel());
      for (const [id, owner] of [
        ['a', 'acme'],
        ['b', 'globex'],
        ['c', null],
        ['d', 'acme'],
      ] as const) {
        writer.putChannel(sampleChannel({ id, owner }));
      }
    }),
  );

  test('channels are read by owner and by id, with or without models', async () => {
    expect(await ids({ serving: false })).toEqual([]);
    expect(await ids({ channelsOf: [] })).toEqual([]);
    expect(await ids({ channelsOf: ['acme'] })).toEqual(['a', 'd']);
    expect(await ids({ channelsOf: [null, 'globex'] })).toEqual(['b', 'c']);
    expect(await ids({ serving: false, channelsOf: ['acme'], channelIds: ['b', 'none'] })).toEqual(['a', 'b', 'd']);
    const part = await store().directory.read({ serving: false, channelIds: ['b'] });
    expect([part.models, part.accounts.map(({ id }) => id)]).toEqual([[], ['globex']]);
    expect((await store().directory.read({ channelsOf: [] })).models).toHaveLength(1);
  });

  test('names of accounts, channels and keys are found by their ids', async () => {
    const { directory } = store();
    await directory.write({ accounts: ['acme', 'globex'], serving: false }, (writer) => {
      const put = (accountId: string, id: string, fields: Partial<Credential>) =>
        writer.putCredential(
          sampleCredential({ accountId, id, secretHash: `${accountId} ${id} ${fields.kind}`, ...fields }),
        );
      put('acme', 'ci', { name: 'Acme CI', kind: 'inference' });
      put('acme', 'ci', { name: 'A token', kind: 'management' });
      put('globex', 'ci', { name: 'Globex CI', kind: 'inference' });
      writer.putAccount(sampleAccount({ id: 'acme', name: 'Acme "Ltd"' }));
    });
    const found = await directory.names({
      accounts: ['acme', 'none'],
      channels: ['a', 'c', 'none'],
      keys: [
        { accountId: 'acme', id: 'ci' },
        { accountId: 'acme', id: 'none' },
      ],
    });
    expect(found.accounts).toEqual([{ id: 'acme', name: 'Acme "Ltd"' }]);
    expect(found.channels.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual([
      { id: 'a', name: sampleChannel().name, owner: 'acme' },
      { id: 'c', name: sampleChannel().name, owner: null },
    ]);
    expect(found.keys).toEqual([{ accountId: 'acme', id: 'ci', name: 'Acme CI' }]);
    expect(await directory.names({ accounts: [], channels: [], keys: [] })).toEqual({
      accounts: [],
      channels: [],
      keys: [],
    });
  });

  test("credentials of an account are counted including the transaction's writes", async () => {
    const { directory } = store();
    const scope = { countsOf: ['acme'], serving: false } as const;
    const put = (id: string, fields: Partial<Credential> = {}) =>
      directory.write({ ...scope, accounts: ['acme'] }, (writer) => {
        const { counts = [] } = writer.read();
        writer.putCredential(sampleCredential({ accountId: 'acme', id, secretHash: id, ...fields }));
        return counts.find(({ kind }) => kind === 'inference')?.all ?? 0;
      });
    const before = await Promise.all(Array.from({ length: 50 }, (_, index) => put(`key-${index}`)));
    expect(before.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index));
    await put('revoked', { revokedAtMs: 1 });
    await put('token', { kind: 'management' });
    const { counts = [] } = await directory.read(scope);
    expect(counts.toSorted((a, b) => a.kind.localeCompare(b.kind))).toEqual([
      { accountId: 'acme', kind: 'inference', inForce: 50, all: 51 },
      { accountId: 'acme', kind: 'management', inForce: 1, all: 1 },
    ]);
    expect((await directory.read({ serving: false })).counts).toBeUndefined();
  });

  test('a change returns the owners of the channels before and after it', async () => {
    const { directory } = store();
    const changesOf = async (change: (writer: DirectoryWriter) => void) => {
      const { servingVersion } = await directory.state();
      await directory.write('all', change);
      const changes = await directory.servingChangedSince(servingVersion, 10);
      return changes && { ...changes, accounts: changes.accounts.toSorted() };
    };
    expect(
      await changesOf((writer) => writer.putChannel(sampleChannel({ id: 'a', owner: 'acme', weight: 2 }))),
    ).toEqual({
      shared: false,
      accounts: ['acme'],
    });
    expect(await changesOf((writer) => writer.putChannel(sampleChannel({ id: 'a', owner: 'globex' })))).toEqual({
      shared: false,
      accounts: ['acme', 'globex'],
    });
    expect(await changesOf((writer) => writer.deleteChannel('a'))).toEqual({ shared: false, accounts: ['globex'] });
    expect(await changesOf((writer) => writer.deleteChannel('c'))).toEqual({ shared: true, accounts: [] });
    expect(await changesOf((writer) => writer.deleteModel(sampleModel().id))).toEqual({ shared: true, accounts: [] });
    expect(await changesOf((writer) => writer.putAccount(sampleAccount({ id: 'acme', name: 'New' })))).toEqual({
      shared: false,
      accounts: [],
    });
    expect(await directory.servingChangedSince(0, 1)).toBeNull();
  });
}
