import { useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import { PageHeader } from '../../kit/page.tsx';
import { Select } from '../../kit/select.tsx';
import { ErrorBox, Loading, Notice } from '../../kit/status.tsx';
import { useAccountId, useScope } from '../../shell/scope.tsx';
import { playgroundText } from '../../text/playground.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { ChatTab } from './chat/chat-tab.tsx';
import { useModels } from './models.ts';
import type { Payer } from './wire/call.ts';

/** Stands in the select for the account's own key of the playground. */
const OWN = '';

export function Page() {
  const words = useText(shellText);
  const text = useText(playgroundText);
  const accountId = useAccountId();
  const { mayWrite } = useScope();
  const [keyId, setKeyId] = useState(OWN);
  if (!mayWrite) {
    return (
      <>
        <PageHeader title={words.pages.playground} />
        <Notice tone="neutral">{text.viewersMayNot}</Notice>
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={words.pages.playground}
        description={text.about}
        actions={<KeySelect value={keyId} onChange={setKeyId} />}
      />
      <Tools payer={{ accountId, keyId: keyId === OWN ? null : keyId }} />
    </>
  );
}

function KeySelect({ value, onChange }: { readonly value: string; readonly onChange: (id: string) => void }) {
  const text = useText(playgroundText);
  const { query } = useScope();
  const { data } = useApi('listKeys', { query: { ...query, limit: 100 } });
  const keys = (data?.data ?? []).filter(({ id, state }) => state === 'active' && !/^playground(-\d+)?$/.test(id));
  return (
    <Select
      label={text.key}
      className="w-60"
      value={value}
      onChange={onChange}
      options={[
        { value: OWN, label: text.ownKey, detail: text.ownKeyDetail },
        ...keys.map(({ id, name }) => ({ value: id, label: name === '' ? id : name, detail: id })),
      ]}
    />
  );
}

function Tools({ payer }: { readonly payer: Payer }) {
  const { data: models, error, refetch } = useModels(payer);
  if (error) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  if (!models) return <Loading />;
  return <ChatTab models={models} payer={payer} />;
}
