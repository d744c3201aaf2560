import { Plus, Ticket } from 'lucide-react';
import { useState } from 'react';
import type { Token } from '../../api/schema.ts';
import { useList } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { Time } from '../../kit/format.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Badge, Empty } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { credentialsText } from '../../text/credentials.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { SecretDialog, type ShownSecret, StateBadge, StateFilter } from '../shared/credentials/parts.tsx';
import { NewToken } from './new-token.tsx';
import { TokenSheet } from './token-sheet.tsx';

export function Page() {
  const text = useText(credentialsText);
  const pages = useText(shellText).pages;
  const { query } = useScope();
  const { values, set } = useSearchState(['id', 'state']);
  const [isMaking, setMaking] = useState(false);
  const [secret, setSecret] = useState<ShownSecret | null>(null);
  const listed = useList('listTokens', { query }, { every: 30_000 });
  const state = values.state === '' ? 'active' : values.state;
  const items = listed.items.filter((token) => state === 'all' || token.state === state);
  const make = (
    <Button variant="primary" icon={Plus} onClick={() => setMaking(true)}>
      {text.newToken}
    </Button>
  );
  const isAny = listed.items.length > 0;
  return (
    <>
      <PageHeader title={pages.tokens} description={text.tokensAbout} actions={make} />
      <div className="mb-3">
        <StateFilter value={state} onChange={(next) => set({ state: next === 'active' ? '' : next })} />
      </div>
      <DataTable
        label={pages.tokens}
        columns={useColumns()}
        rows={{ ...listed, items }}
        keyOf={({ id }) => id}
        onOpen={({ id }) => set({ id }, false)}
        openKey={values.id}
        empty={
          <Empty icon={Ticket} title={isAny ? text.noneSuch : text.noTokens} action={isAny ? undefined : make}>
            {isAny ? text.noneSuchText : text.noTokensText}
          </Empty>
        }
      />
      <NewToken isOpen={isMaking} onClose={() => setMaking(false)} onMade={setSecret} />
      <TokenSheet id={values.id === '' ? undefined : values.id} onClose={() => set({ id: '' })} onSecret={setSecret} />
      <SecretDialog
        shown={secret}
        title={text.secretTitle(text.aToken)}
        what={text.aToken}
        onClose={() => setSecret(null)}
      />
    </>
  );
}

function useColumns(): readonly Column<Token>[] {
  const text = useText(credentialsText);
  return [
    { id: 'name', title: text.name, width: 'minmax(9rem, 2fr)', cell: ({ name }) => name },
    {
      id: 'secret',
      title: text.secret.token,
      from: 'md',
      cell: ({ preview }) => <code className="font-mono text-sm">{preview}</code>,
    },
    { id: 'state', title: text.state, from: 'sm', width: '6rem', cell: ({ state }) => <StateBadge state={state} /> },
    {
      id: 'scopes',
      title: text.scopes,
      from: 'sm',
      width: 'minmax(9rem, 2fr)',
      cell: ({ scopes }) => <Scopes scopes={scopes} />,
    },
    {
      id: 'used',
      title: text.lastUsed,
      width: 'minmax(7rem, 1fr)',
      cell: ({ last_used_at: at }) =>
        at === null ? <span className="text-soft">{text.neverUsed}</span> : <Time at={at} isRelative />,
    },
    {
      id: 'expires',
      title: text.expires,
      from: 'xl',
      width: 'minmax(7rem, 1fr)',
      cell: ({ expires_at: at }) =>
        at === null ? <span className="text-soft">{text.never}</span> : <Time at={at} isRelative />,
    },
  ];
}

/** The first scope, and how many more there are; all of them are the title. */
function Scopes({ scopes: [first, ...others], scopes }: Pick<Token, 'scopes'>) {
  return (
    <span title={scopes.join(', ')} className="flex min-w-0 items-center gap-1.5">
      <code className="min-w-0 truncate font-mono text-sm">{first}</code>
      {others.length > 0 && <Badge>+{others.length}</Badge>}
    </span>
  );
}
