import type { DirectoryStore, FoundNames, NamedIds } from '../ports/directory-store.ts';
import type { Page } from './page.ts';

/*
 * Names beside ids. Views have the ids of accounts, channels and keys, since these never change; people read names. Each answer reads the
 * names of all its ids at once.
 */

export type NameSource = Pick<DirectoryStore, 'names'>;

/** The ids in a view. Those of keys are unique per account, so a view with `key` has the account, or the caller names it. */
export interface Ids {
  readonly account?: string | null;
  readonly channel?: string | null;
  readonly key?: string | null;
}

/** A view with the name of each id; `null` if there is no id, or if its object was deleted. */
export type Named<View> = View &
  ('account' extends keyof View ? { readonly account_name: string | null } : unknown) &
  ('channel' extends keyof View ? { readonly channel_name: string | null } : unknown) &
  ('key' extends keyof View ? { readonly key_name: string | null } : unknown);

/** The names of some ids. */
export class Names {
  private readonly accounts: ReadonlyMap<string, string>;
  private readonly channels: ReadonlyMap<string, FoundNames['channels'][number]>;
  private readonly keys: ReadonlyMap<string, string>;

  private constructor({ accounts, channels, keys }: FoundNames) {
    this.accounts = new Map(accounts.map(({ id, name }) => [id, name]));
    this.channels = new Map(channels.map((channel) => [channel.id, channel]));
    this.keys = new Map(keys.map(({ accountId, id, name }) => [keyPlace(accountId, id), name]));
  }

  /** @param accountId the account of views that do not have one; `null` for several accounts */
  static async of(source: NameSource, views: readonly Ids[], accountId: string | null = null): Promise<Names> {
    const ids = idsIn(views, accountId);
    const isEmpty = ids.accounts.length + ids.channels.length + ids.keys.length === 0;
    return new Names(isEmpty ? { accounts: [], channels: [], keys: [] } : await source.names(ids));
  }

  account(id: string | null | undefined): string | null {
    return id == null ? null : (this.accounts.get(id) ?? null);
  }

  /**
   * Returns the name of a channel; `null` if it belongs to another account now.
   *
   * @param accountId the account that the view concerns; `null` for several accounts
   */
  channel(id: string | null | undefined, accountId: string | null): string | null {
    const found = id == null ? undefined : this.channels.get(id);
    if (found === undefined) return null;
    return found.owner === null || accountId === null || found.owner === accountId ? found.name : null;
  }

  key(accountId: string | null | undefined, id: string | null | undefined): string | null {
    return accountId == null || id == null ? null : (this.keys.get(keyPlace(accountId, id)) ?? null);
  }

  /** Returns a view with the names of its ids. */
  in<View extends Ids>(view: View, accountId: string | null = null): Named<View> {
    const owner = view.account ?? accountId;
    const names = {
      ...('account' in view && { account_name: this.account(view.account) }),
      ...('channel' in view && { channel_name: this.channel(view.channel, owner) }),
      ...('key' in view && { key_name: this.key(owner, view.key) }),
    };
    return { ...view, ...names } as Named<View>; // Each id of the view has its name here.
  }
}

/** Resolves to a page of views with the names of their ids. */
export async function namedPage<Item, View extends Ids>(
  source: NameSource,
  page: Page<Item>,
  view: (item: Item) => View,
): Promise<Page<Named<View>>> {
  const views = page.items.map(view);
  const names = await Names.of(source, views);
  return { ...page, items: views.map((one) => names.in(one)) };
}

/** Resolves to one view with the names of its ids. */
export async function named<View extends Ids>(source: NameSource, view: View): Promise<Named<View>> {
  return (await Names.of(source, [view])).in(view);
}

function idsIn(views: readonly Ids[], accountId: string | null): NamedIds {
  const accounts = new Set<string>();
  const channels = new Set<string>();
  const keys = new Map<string, NamedIds['keys'][number]>();
  for (const { account, channel, key } of views) {
    if (account != null) accounts.add(account);
    if (channel != null) channels.add(channel);
    const owner = account ?? accountId;
    if (key != null && owner !== null) keys.set(keyPlace(owner, key), { accountId: owner, id: key });
  }
  return { accounts: [...accounts], channels: [...channels], keys: [...keys.values()] };
}

function keyPlace(accountId: string, id: string): string {
  return `${accountId}\0${id}`;
}
