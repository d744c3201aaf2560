import { Archive, ArchiveRestore, Eraser, Eye, HandCoins, Scale } from 'lucide-react';
import { useState } from 'react';
import type { Account, ListedAccount } from '../../api/schema.ts';
import { useApi, useChange, useTagged } from '../../api/use-api.ts';
import { Button, LinkButton, TextLink } from '../../kit/button.tsx';
import { ConfirmDialog, Sheet } from '../../kit/dialog.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Money, Time, useFormat } from '../../kit/format.tsx';
import { Definitions } from '../../kit/panel.tsx';
import { Badge, ErrorBox, Loading } from '../../kit/status.tsx';
import { useToast } from '../../kit/toast.tsx';
import { scopeOf } from '../../shell/scope.tsx';
import { accountsText } from '../../text/accounts.ts';
import { useText } from '../../text/text.tsx';
import { AuditList } from '../shared/audit/audit-list.tsx';
import { ManagedNotice } from '../shared/credentials/parts.tsx';
import { RaiseBudget } from '../shared/usage/raise-budget.tsx';
import { AccountForm } from './account-form.tsx';
import { ACCOUNT_READS } from './account-values.ts';
import { type BalanceDeed, ChangeBalance } from './change-balance.tsx';
import { EraseAccount } from './erase-account.tsx';

interface AccountSheetProps {
  /** Undefined while closed. */
  readonly id: string | undefined;
  readonly onClose: () => void;
}

export function AccountSheet({ id, onClose }: AccountSheetProps) {
  const text = useText(accountsText);
  const tagged = useTagged('getAccountById', { params: { id: id ?? '' } }, { enabled: id !== undefined });
  const account = tagged.data?.value;
  return (
    <Sheet title={account?.name ?? text.account} isOpen={id !== undefined} onClose={onClose} size="large" isSticky>
      {tagged.error && <ErrorBox error={tagged.error} onRetry={() => void tagged.refetch()} />}
      {tagged.isPending && <Loading />}
      {tagged.data && account && (
        <div className="flex flex-col gap-5">
          <TaskActions account={account} />
          <RaiseAccount account={account} />
          <Facts account={account} />
          <People accountId={account.id} />
          <section>
            <h3 className="mb-3 font-semibold">{text.settings}</h3>
            {account.managed_by === 'api' ? (
              <AccountForm key={tagged.data.etag} tagged={tagged.data} />
            ) : (
              <ManagedNotice by={account.managed_by} />
            )}
          </section>
          <Disclosure title={text.history}>
            <AuditList query={{ account_id: account.id, object_id: account.id }} />
          </Disclosure>
        </div>
      )}
    </Sheet>
  );
}

function TaskActions({ account }: { readonly account: Account }) {
  const text = useText(accountsText);
  const toast = useToast();
  const [deed, setDeed] = useState<BalanceDeed | null>(null);
  const [isArchiving, setArchiving] = useState(false);
  const [isErasing, setErasing] = useState(false);
  const touches = [...ACCOUNT_READS, 'listAudit'] as const;
  const archive = useChange('archiveAccount', { touches });
  const restore = useChange('restoreAccount', { touches, onDone: ({ name }) => toast.done(text.restored(name)) });
  const params = { id: account.id };
  return (
    <div className="flex flex-wrap gap-2">
      <Button variant="primary" icon={HandCoins} onClick={() => setDeed('grant')}>
        {text.grant}
      </Button>
      <Button icon={Scale} onClick={() => setDeed('adjust')}>
        {text.adjust}
      </Button>
      <LinkButton icon={Eye} to={`${scopeOf(account.id).base}/overview`}>
        {text.openAs}
      </LinkButton>
      {account.state === 'active' ? (
        <Button icon={Archive} onClick={() => setArchiving(true)}>
          {text.archive}
        </Button>
      ) : (
        <>
          <Button
            icon={ArchiveRestore}
            isBusy={restore.isPending}
            onClick={() => restore.mutate({ params }, { onError: toast.failed })}
          >
            {text.restore}
          </Button>
          <Button icon={Eraser} onClick={() => setErasing(true)}>
            {text.erase}
          </Button>
        </>
      )}
      <EraseAccount account={account} isOpen={isErasing} onClose={() => setErasing(false)} />
      <ChangeBalance account={account} deed={deed} onClose={() => setDeed(null)} />
      <ConfirmDialog
        title={text.archiveTitle(account.name)}
        body={text.archiveText}
        confirmLabel={text.archive}
        typeToConfirm={account.id}
        isDanger
        isOpen={isArchiving}
        onClose={() => setArchiving(false)}
        onConfirm={async () => {
          await archive.mutateAsync({ params });
          toast.done(text.archived(account.name));
        }}
      />
    </div>
  );
}

function RaiseAccount({ account }: { readonly account: Account }) {
  const touches = [...ACCOUNT_READS, 'listAudit'] as const;
  const raise = useChange('raiseAccountBudget', { touches });
  const end = useChange('endAccountBudgetRaise', { touches });
  const params = { id: account.id };
  return (
    <RaiseBudget
      holder={account}
      raise={(body) => raise.mutateAsync({ params, body })}
      end={() => end.mutateAsync({ params })}
    />
  );
}

function Facts({ account }: { readonly account: ListedAccount }) {
  const text = useText(accountsText);
  return (
    <Definitions
      items={[
        { term: text.id, value: <code className="break-all font-mono">{account.id}</code> },
        { term: text.state, value: <StateBadge state={account.state} /> },
        { term: text.balance, value: <Money usd={account.balance_usd} isExact /> },
        {
          term: text.held,
          value: (
            <>
              <Money usd={account.held_usd} isExact /> <span className="text-soft">{text.heldHelp}</span>
            </>
          ),
        },
        { term: text.free, value: <Money usd={account.free_usd} isExact /> },
        { term: text.spent, value: <Money usd={account.spent_30d_usd} isExact /> },
        { term: text.upstreamCost, value: <Margin usd={account.upstream_cost_30d_usd} account={account} hasReason /> },
        { term: text.margin, value: <Margin usd={account.margin_30d_usd} account={account} /> },
        {
          term: text.lastActive,
          value: account.last_active_at ? <Time at={account.last_active_at} /> : text.never,
        },
        { term: text.created, value: <Time at={account.created_at} /> },
        ...(account.admin ? [{ term: text.admin, value: text.adminHelp }] : []),
      ]}
    />
  );
}

interface MarginProps {
  readonly usd: string | null | undefined;
  readonly account: ListedAccount;
  /** Whether to say how many requests have an unknown cost. */
  readonly hasReason?: boolean;
}

/** An exact amount, unless some requests have an unknown cost. */
function Margin({ usd, account, hasReason = false }: MarginProps) {
  const text = useText(accountsText);
  const format = useFormat();
  const uncosted = account.uncosted_requests_30d ?? 0;
  if (typeof usd === 'string') return <Money usd={usd} isExact />;
  if (!hasReason) return <span className="text-soft">{text.unknown}</span>;
  return (
    <span className="text-soft">
      {text.unknown}. {text.marginUnknown(format.number(uncosted), uncosted === 1)}
    </span>
  );
}

export function StateBadge({ state }: { readonly state: Account['state'] }) {
  const text = useText(accountsText);
  return <Badge tone={state === 'active' ? 'good' : 'neutral'}>{text.states[state]}</Badge>;
}

const SHOWN_PEOPLE = 10;

function People({ accountId }: { readonly accountId: string }) {
  const text = useText(accountsText);
  const members = useApi('listMembers', { query: { account_id: accountId, limit: SHOWN_PEOPLE } });
  return (
    <section>
      <h3 className="mb-2 flex flex-wrap items-baseline justify-between gap-2 font-semibold">
        {text.people}
        <TextLink to={`${scopeOf(accountId).base}/members`} className="font-normal text-sm">
          {text.managePeople}
        </TextLink>
      </h3>
      {members.error && <ErrorBox error={members.error} onRetry={() => void members.refetch()} />}
      {members.isPending && <Loading />}
      {members.data?.data.length === 0 && <p className="text-soft text-sm">{text.noPeople}</p>}
      {members.data && members.data.data.length > 0 && (
        <Definitions
          items={members.data.data.map(({ email, name, role }) => ({
            term: text.memberRoles[role],
            value: (
              <>
                {name} <span className="text-soft">{email}</span>
              </>
            ),
          }))}
        />
      )}
      {members.data?.has_more === true && <p className="mt-1 text-soft text-sm">{text.morePeople}</p>}
    </section>
  );
}
