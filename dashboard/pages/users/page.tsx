import { UserPlus, UsersRound } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import type { ListedUser } from '../../api/schema.ts';
import { useList } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { TextInput } from '../../kit/field.tsx';
import { Time } from '../../kit/format.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Badge, Empty } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { Tabs } from '../../kit/tabs.tsx';
import { useSearchState } from '../../shell/search.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { usersText } from '../../text/users.ts';
import { SecretDialog, type ShownSecret } from '../shared/credentials/parts.tsx';
import { InviteDialog } from '../shared/invite.tsx';
import { useSorting } from '../shared/use-sorting.ts';
import { Invitations } from './invitations.tsx';
import { UserSheet, UserState } from './user-sheet.tsx';

export function Page() {
  const text = useText(usersText);
  const pages = useText(shellText).pages;
  const { values, set } = useSearchState(['tab', 'id']);
  const [isInviting, setInviting] = useState(false);
  const [link, setLink] = useState<ShownSecret | null>(null);
  return (
    <>
      <PageHeader
        title={pages.users}
        description={text.about}
        actions={
          <Button variant="primary" icon={UserPlus} onClick={() => setInviting(true)}>
            {text.invite}
          </Button>
        }
      />
      <Tabs
        label={text.tabs}
        value={values.tab === 'invitations' ? 'invitations' : 'people'}
        onChange={(tab) => set({ tab: tab === 'people' ? '' : tab })}
        tabs={[
          { value: 'people', label: text.people, content: <People /> },
          { value: 'invitations', label: text.invitations, content: <Invitations /> },
        ]}
      />
      <UserSheet id={values.id === '' ? undefined : values.id} onClose={() => set({ id: '' })} onLink={setLink} />
      <InviteDialog accountId={null} isOpen={isInviting} onClose={() => setInviting(false)} />
      <SecretDialog shown={link} title={text.resetLinkTitle} what={text.aLink} onClose={() => setLink(null)} />
    </>
  );
}

function People() {
  const text = useText(usersText);
  const { values, set } = useSearchState(['q', 'id']);
  const search = useDeferredValue(values.q.trim());
  const { sorting, onSort, query: order } = useSorting(SORTS);
  const query = { ...order, ...(search !== '' && { search }) };
  const listed = useList('listUsers', { query }, { every: 60_000, keepPrevious: true });
  return (
    <div>
      <search className="mb-3 block max-w-md">
        <TextInput
          type="search"
          aria-label={text.search}
          placeholder={text.search}
          value={values.q}
          maxLength={200}
          onChange={(event) => set({ q: event.currentTarget.value })}
        />
      </search>
      <DataTable
        label={text.people}
        columns={useColumns()}
        rows={listed}
        keyOf={({ id }) => id}
        onOpen={({ id }) => set({ id }, false)}
        openKey={values.id}
        sorting={sorting}
        onSort={onSort}
        empty={
          <Empty icon={UsersRound} title={search === '' ? text.none : text.noneSuch}>
            {search === '' ? text.noneText : text.noneSuchText}
          </Empty>
        }
      />
    </div>
  );
}

/** The orders of the API, each of which is a column. */
const SORTS = ['name', 'email', 'last_active_at', 'created_at'] as const;

function useColumns(): readonly Column<ListedUser>[] {
  const text = useText(usersText);
  return [
    {
      id: 'name',
      title: text.name,
      width: 'minmax(8rem, 1.2fr)',
      sort: 'asc',
      cell: (user) => (
        <span title={`${user.name} <${user.email}>`}>
          {user.name}{' '}
          {user.disabled_at !== null && (
            <span className="lg:hidden">
              <UserState user={user} />
            </span>
          )}
        </span>
      ),
    },
    {
      id: 'email',
      title: text.email,
      width: 'minmax(9rem, 1.8fr)',
      from: 'sm',
      sort: 'asc',
      cell: ({ email }) => <span title={email}>{email}</span>,
    },
    {
      id: 'belongs',
      title: text.belongs,
      width: 'minmax(5rem, 1.4fr)',
      from: 'md',
      cell: ({ memberships }) => {
        if (memberships.length === 0) return <span className="text-soft">{text.nowhere}</span>;
        const names = memberships.map(({ name }) => name).join(', ');
        const ids = memberships.map(({ name, account }) => `${name} (${account})`).join(', ');
        return <span title={ids}>{names}</span>;
      },
    },
    {
      id: 'operator',
      title: text.operator,
      width: '4.5rem',
      cell: ({ operator }) =>
        operator ? <Badge tone="accent">{text.operator}</Badge> : <span className="text-soft">–</span>,
    },
    {
      id: 'second',
      title: text.secondFactor,
      width: '5rem',
      from: 'xl',
      cell: ({ two_factor_enabled }) => (two_factor_enabled ? text.on : <span className="text-soft">{text.off}</span>),
    },
    { id: 'state', title: text.state, width: '5rem', from: 'lg', cell: (user) => <UserState user={user} /> },
    {
      ...{ id: 'last_active_at', title: text.lastActive, width: '7rem', from: 'md', sort: 'desc' },
      cell: ({ last_active_at: at }) =>
        at === null ? <span className="text-soft">{text.unknownTime}</span> : <Time at={at} isRelative />,
    },
    {
      ...{ id: 'created_at', title: text.created, width: '7rem', from: 'xl', sort: 'desc' },
      cell: ({ created_at }) => <Time at={created_at} isRelative />,
    },
  ];
}
