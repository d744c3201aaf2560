import { useState } from 'react';
import type { ListedUser as User } from '../../api/schema.ts';
import { useApi, useChange, useTagged } from '../../api/use-api.ts';
import { Button, TextLink } from '../../kit/button.tsx';
import { ConfirmDialog, Sheet } from '../../kit/dialog.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Time } from '../../kit/format.tsx';
import { Definitions } from '../../kit/panel.tsx';
import { Badge, ErrorBox, Loading } from '../../kit/status.tsx';
import { useToast } from '../../kit/toast.tsx';
import { scopeOf } from '../../shell/scope.tsx';
import { useText } from '../../text/text.tsx';
import { usersText } from '../../text/users.ts';
import { AuditList } from '../shared/audit/audit-list.tsx';
import type { ShownSecret } from '../shared/credentials/parts.tsx';
import { USER_READS, UserActions } from './user-actions.tsx';

interface UserSheetProps {
  /** Undefined while closed. */
  readonly id: string | undefined;
  readonly onClose: () => void;
  readonly onLink: (link: ShownSecret) => void;
}

export function UserSheet({ id, onClose, onLink }: UserSheetProps) {
  const text = useText(usersText);
  const tagged = useTagged('getUser', { params: { id: id ?? '' } }, { enabled: id !== undefined });
  const user = tagged.data?.value;
  return (
    <Sheet
      title={user?.name ?? text.people}
      description={user?.email}
      isOpen={id !== undefined}
      onClose={onClose}
      size="large"
    >
      {tagged.error && <ErrorBox error={tagged.error} onRetry={() => void tagged.refetch()} />}
      {tagged.isPending && <Loading />}
      {user && (
        <div className="flex flex-col gap-5">
          <UserActions user={user} etag={tagged.data?.etag} onLink={onLink} onErased={onClose} />
          <Facts user={user} />
          <Sessions user={user} />
          <Disclosure title={text.history}>
            <AuditList query={{ actor_kind: 'person', actor: user.id }} />
          </Disclosure>
        </div>
      )}
    </Sheet>
  );
}

function Facts({ user }: { readonly user: User }) {
  const text = useText(usersText);
  return (
    <Definitions
      items={[
        {
          term: text.email,
          value: (
            <>
              {user.email} <span className="text-soft">({user.email_verified ? text.verified : text.unverified})</span>
            </>
          ),
        },
        { term: text.state, value: <UserState user={user} /> },
        { term: text.operator, value: user.operator ? text.on : text.off },
        { term: text.secondFactor, value: user.two_factor_enabled ? text.on : text.off },
        { term: text.belongs, value: <Memberships user={user} /> },
        {
          term: text.lastActive,
          value: user.last_active_at === null ? text.unknownTime : <Time at={user.last_active_at} />,
        },
        { term: text.created, value: <Time at={user.created_at} /> },
      ]}
    />
  );
}

function Memberships({ user }: { readonly user: User }) {
  const text = useText(usersText);
  if (user.memberships.length === 0) return text.nowhere;
  return (
    <ul>
      {user.memberships.map(({ account, role, name }) => (
        <li key={account}>
          <TextLink to={`${scopeOf(account).base}/members`} title={account}>
            {name}
          </TextLink>{' '}
          <span className="text-soft">{text.roles[role]}</span>
        </li>
      ))}
    </ul>
  );
}

export function UserState({ user }: { readonly user: User }) {
  const text = useText(usersText);
  return user.disabled_at === null ? (
    <Badge tone="good">{text.active}</Badge>
  ) : (
    <Badge tone="warn">{text.disabled}</Badge>
  );
}

function Sessions({ user }: { readonly user: User }) {
  const text = useText(usersText);
  const toast = useToast();
  const [isEnding, setEnding] = useState(false);
  const sessions = useApi('listUserSessions', { params: { id: user.id } }, { every: 30_000 });
  const end = useChange('revokeUserSessions', { touches: [...USER_READS, 'listAudit'] });
  const items = sessions.data?.data ?? [];
  return (
    <section>
      <h3 className="mb-2 flex flex-wrap items-center justify-between gap-2 font-semibold">
        {text.sessions}
        {items.length > 0 && (
          <Button size="small" onClick={() => setEnding(true)}>
            {text.endSessions}
          </Button>
        )}
      </h3>
      {sessions.error && <ErrorBox error={sessions.error} onRetry={() => void sessions.refetch()} />}
      {sessions.isPending && <Loading />}
      {sessions.data && items.length === 0 && <p className="text-soft text-sm">{text.noSessions}</p>}
      {items.length > 0 && (
        <Definitions
          items={items.map(({ address, user_agent, created_at, second_factor }) => ({
            term: <Time at={created_at} isRelative />,
            value: (
              <>
                <span className="font-mono">{address ?? '–'}</span> {second_factor && `(${text.withSecondFactor}) `}
                <span className="break-words text-soft text-xs">{user_agent ?? text.unknownDevice}</span>
              </>
            ),
          }))}
        />
      )}
      <ConfirmDialog
        title={text.endTitle(user.name)}
        body={text.endText}
        confirmLabel={text.endSessions}
        isDanger
        isOpen={isEnding}
        onClose={() => setEnding(false)}
        onConfirm={async () => {
          const { revoked } = await end.mutateAsync({ params: { id: user.id } });
          toast.done(text.ended(revoked));
        }}
      />
    </section>
  );
}
