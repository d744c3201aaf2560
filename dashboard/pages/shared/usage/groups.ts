import type { UsageBreakdown } from '../../../api/schema.ts';
import { useText } from '../../../text/text.tsx';
import { usageText } from '../../../text/usage.ts';

type Row = UsageBreakdown['data'][number];
/** The ids of a row; one of them is that of its group. */
export type GroupIds = Partial<
  Pick<Row, 'account' | 'account_name' | 'key' | 'key_name' | 'model' | 'channel' | 'channel_name' | 'status' | 'tag'>
>;

/** The groups besides tags, as the API names them. */
export const GROUPS = ['model', 'key', 'end_user', 'channel', 'status', 'account'] as const;
export type Group = (typeof GROUPS)[number] | `tag:${string}`;

/** Returns whether the text names a group. */
export function isGroup(text: string): text is Group {
  return GROUPS.some((group) => group === text) || /^tag:./.test(text);
}

export function isTagged(group: Group): boolean {
  return group === 'end_user' || group.startsWith('tag:');
}

/** The key of the group's tag. */
export function tagKeyOf(group: Group): string {
  return group.startsWith('tag:') ? group.slice('tag:'.length) : group;
}

/** Returns whether two groups can be combined: usage is summed per tag. */
export function isPair(first: Group, second: Group): boolean {
  return first !== second && !(isTagged(first) && isTagged(second));
}

/** Returns the value by which other pages filter for a row's group; `null` for requests without it. */
export function filterOf(group: Group, ids: GroupIds): { readonly name: string; readonly value: string } | null {
  if (isTagged(group)) return ids.tag == null ? null : { name: 'tag', value: `${tagKeyOf(group)}=${ids.tag}` };
  const value = ids[group as Exclude<(typeof GROUPS)[number], 'end_user'>]; // Tags are handled above.
  return value == null ? null : { name: group, value: String(value) };
}

/** Returns the name of a row's group: names rather than ids. */
export function useGroupNames(): (group: Group, ids: GroupIds) => string {
  const text = useText(usageText);
  return (group, ids) => {
    if (isTagged(group)) return ids.tag ?? (group === 'end_user' ? text.noEndUser : text.noTag);
    switch (group) {
      case 'account':
        return ids.account_name || ids.account || '–';
      case 'key':
        return ids.key == null ? text.noKey : ids.key_name || ids.key;
      case 'channel':
        return ids.channel == null ? text.noChannel : ids.channel_name || ids.channel;
      case 'status':
        return ids.status == null ? text.noStatus : String(ids.status);
      default:
        return ids.model ?? text.noModel;
    }
  };
}

/** Returns the title of a group in menus and columns. */
export function useGroupTitle(): (group: Group) => string {
  const text = useText(usageText);
  return (group) =>
    group.startsWith('tag:') ? text.tagGroup(tagKeyOf(group)) : text.groups[group as keyof typeof text.groups];
}
