import { useDeferredValue, useMemo, useState } from 'react';
import type { AuditEntry } from '../../api/schema.ts';
import { useApi } from '../../api/use-api.ts';
import { search } from '../../kit/options.ts';
import { Combobox, type Option } from '../../kit/select.tsx';
import { auditText } from '../../text/audit.ts';
import { useText } from '../../text/text.tsx';

interface PickerProps {
  /** Empty for any. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The entries that the page shows, whose actors and objects can be chosen at once. */
  readonly entries: readonly AuditEntry[];
}

const FOUND = 20;

/** A choice of a person, found by name or email, or of a token in the list. */
export function ActorPicker({ value, onChange, entries }: PickerProps) {
  const text = useText(auditText);
  const [typed, setTyped] = useState('');
  const users = useUsers(typed, text.groups.user);
  const listed = useMemo(
    () =>
      unique(
        entries.flatMap(({ actor, actor_name: name }) =>
          actor.id === null
            ? []
            : [{ value: actor.id, label: name || actor.name, detail: actor.name, group: text.groups.listed }],
        ),
      ),
    [entries, text],
  );
  return (
    <Picker {...{ value, onChange, setTyped }} label={text.actor} options={matching([...listed, ...users], typed)} />
  );
}

/** A choice of one action, or of all actions on a kind of object. */
export function ActionPicker({ value, onChange }: Omit<PickerProps, 'entries'>) {
  const text = useText(auditText);
  const options = useMemo(() => {
    const actions = Object.entries(text.actions).map(([code, label]) => ({ value: code, label, detail: code }));
    const kinds = [...new Set(actions.map(({ value: code }) => code.split('.')[0] ?? code))];
    const all = kinds.map((kind) => ({
      value: kind,
      label: text.allActions(nameOfKind(kind, text.groups)),
      detail: kind,
    }));
    return [...all, ...actions].toSorted((one, other) => (one.value < other.value ? -1 : 1));
  }, [text]);
  return (
    <Combobox
      isFree
      label={text.action}
      placeholder={text.action}
      value={value === '' ? undefined : value}
      onChange={(next) => onChange(next ?? '')}
      options={options}
    />
  );
}

/** A choice of an object: one of the list, an account, a user or a channel. */
export function ObjectPicker({ value, onChange, entries }: PickerProps) {
  const text = useText(auditText);
  const [typed, setTyped] = useState('');
  const q = useDeferredValue(typed.trim());
  const accounts = useApi('listAccounts', { query: { limit: FOUND, ...(q !== '' && { q }) } }, { keepPrevious: true });
  const channels = useApi('listChannels', { query: { limit: 1_000 } });
  const users = useUsers(typed, text.groups.user);
  const { groups } = text;
  const listed = useMemo(
    () =>
      unique(
        entries.map(({ object_id: id, object_name: name }) => ({
          ...{ value: id, label: name || id, group: groups.listed },
          ...(name && { detail: id }),
        })),
      ),
    [entries, groups],
  );
  const named = (list: readonly { readonly id: string; readonly name: string }[] | undefined, group: string) =>
    (list ?? []).map(({ id, name }) => ({ value: id, label: name || id, detail: id, group }));
  const options = [
    ...listed,
    ...named(accounts.data?.data, groups.account),
    ...named(channels.data?.data, groups.channel),
    ...users,
  ];
  return <Picker {...{ value, onChange, setTyped }} label={text.object} options={matching(options, typed)} />;
}

interface FieldProps extends Omit<PickerProps, 'entries'> {
  readonly label: string;
  readonly options: readonly Option[];
  readonly setTyped: (typed: string) => void;
}

/** An id can be typed, too. */
function Picker({ value, onChange, label, options, setTyped }: FieldProps) {
  return (
    <Combobox
      isFree
      label={label}
      placeholder={label}
      value={value === '' ? undefined : value}
      onChange={(next) => onChange(next ?? '')}
      options={options}
      onSearch={setTyped}
    />
  );
}

function useUsers(typed: string, group: string): readonly Option[] {
  const q = useDeferredValue(typed.trim());
  const query = { limit: FOUND, ...(q !== '' && { search: q }) };
  const found = useApi('listUsers', { query }, { keepPrevious: true });
  return (found.data?.data ?? []).map(({ id, name, email }) => ({
    value: id,
    label: name || email,
    detail: email,
    group,
  }));
}

/** Returns the options that match, each value once. */
function matching(options: readonly Option[], typed: string): readonly Option[] {
  const all = unique(options);
  return search(all, typed, ({ label, value, detail = '' }) => `${label} ${value} ${detail}`, all.length).shown;
}

function unique(options: readonly Option[]): readonly Option[] {
  return [...new Map(options.toReversed().map((option) => [option.value, option])).values()].toReversed();
}

function nameOfKind(kind: string, groups: Readonly<Record<string, string>>): string {
  return Object.hasOwn(groups, kind) ? (groups[kind] ?? kind) : kind;
}
