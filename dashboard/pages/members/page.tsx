import { UserPlus, Users } from 'lucide-react';
import { useState } from 'react';
import type { Member } from '../../api/schema.ts';
import { useChange, useList } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { Menu, type MenuItem } from '../../kit/menu.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Badge, Empty } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useAccountId, useScope } from '../../shell/scope.tsx';
import { useSession } from '../../shell/session.tsx';
import { membersText } from '../../text/members.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { InviteDialog, type MemberRole } from '../shared/invite.tsx';
import { OpenInvitations } from './open-invitations.tsx';

export function Page() {
  const text = useText(membersText);
  const pages = useText(shellText).pages;
  const { query, mayOwn } = useScope();
  const accountId = useAccountId();
  const [isInviting, setInviting] = useState(false);
  const [leaving, setLeaving] = useState<Member | null>(null);
  const listed = useList('listMembers', { query });
  const invite = mayOwn && (
    <Button variant="primary" icon={UserPlus} onClick={() => setInviting(true)}>
      {text.invite}
    </Button>
  );
  return (
    <>
      <PageHeader title={pages.members} description={text.about} actions={invite} />
      <DataTable
        label={pages.members}
        columns={useColumns(setLeaving)}
        rows={listed}
        keyOf={({ id }) => id}
        empty={
          <Empty icon={Users} title={text.none} action={invite}>
            {text.noneText}
          </Empty>
        }
      />
      {mayOwn && <OpenInvitations />}
      <InviteDialog accountId={accountId} isOpen={isInviting} onClose={() => setInviting(false)} />
      <Removal member={leaving} onClose={() => setLeaving(null)} />
    </>
  );
}

const ROLES: readonly MemberRole[] = ['owner', 'member', 'viewer'];

function useColumns(onRemove: (member: Member) => void): readonly Column<Member>[] {
  const text = useText(membersText);
  const { mayOwn } = useScope();
  const { me } = useSession();
  const actionsOf = useRoleItems();
  const columns: Column<Member>[] = [
    {
      id: 'name',
      title: text.name,
      width: 'minmax(8rem, 2fr)',
      cell: ({ id, name, email, disabled }) => (
        <span className="inline-flex items-center gap-2">
          {name === '' ? email : name}
          {id === me.id && <span className="text-soft">({text.you})</span>}
          {disabled && <Badge tone="warn">{text.disabled}</Badge>}
        </span>
      ),
    },
    { id: 'email', title: text.email, from: 'sm', width: 'minmax(10rem, 2fr)', cell: ({ email }) => email },
    { id: 'role', title: text.role, width: '6rem', cell: ({ role }) => text.roles[role] },
  ];
  if (!mayOwn) return columns;
  return [
    ...columns,
    {
      id: 'actions',
      title: '',
      width: '2.5rem',
      align: 'end',
      cell: (member) => {
        const name = member.name === '' ? member.email : member.name;
        const remove = {
          label: member.id === me.id ? text.leave : text.remove,
          isDanger: true,
          onSelect: () => onRemove(member),
        };
        return <Menu label={text.actions(name)} items={[...actionsOf(member), remove]} />;
      },
    },
  ];
}

/** Returns menu items for the other roles of a member; each change can be undone. */
function useRoleItems(): (member: Member) => readonly MenuItem[] {
  const text = useText(membersText);
  const { query } = useScope();
  const toast = useToast();
  const update = useChange('updateMember', { touches: ['listMembers', 'getMe'] });
  const give = async ({ id, name, email, role: before }: Member, role: MemberRole) => {
    const send = (role: MemberRole) => update.mutateAsync({ params: { id }, query, body: { role } });
    try {
      await send(role);
      const shown = name === '' ? email : name;
      toast.done(text.changed(shown, text.roles[role]), { label: text.undo, run: () => send(before) });
    } catch (error) {
      toast.failed(error instanceof Error ? error : new Error(String(error)));
    }
  };
  return (member) =>
    ROLES.filter((role) => role !== member.role).map((role) => ({
      label: `${text.changeRole}: ${text.roles[role]}`,
      onSelect: () => void give(member, role),
    }));
}

function Removal({ member, onClose }: { readonly member: Member | null; readonly onClose: () => void }) {
  const text = useText(membersText);
  const { query } = useScope();
  const toast = useToast();
  const remove = useChange('removeMember', { touches: ['listMembers', 'listInvitations', 'getMe'] });
  const name = member === null ? '' : member.name === '' ? member.email : member.name;
  return (
    <ConfirmDialog
      title={text.removeTitle(name)}
      body={text.removeText}
      confirmLabel={text.remove}
      isDanger
      isOpen={member !== null}
      onClose={onClose}
      onConfirm={async () => {
        if (member === null) return;
        await remove.mutateAsync({ params: { id: member.id }, query });
        toast.done(text.removed(name));
      }}
    />
  );
}
