import type { Tagged } from '../../api/client.ts';
import type { Token } from '../../api/schema.ts';
import { useChange, useTagged } from '../../api/use-api.ts';
import { Sheet } from '../../kit/dialog.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { Time, useFormat } from '../../kit/format.tsx';
import { Definitions } from '../../kit/panel.tsx';
import { ErrorBox, Loading, Notice } from '../../kit/status.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useScope } from '../../shell/scope.tsx';
import { credentialsText } from '../../text/credentials.ts';
import { useText } from '../../text/text.tsx';
import { useChangeOfShown } from '../shared/changed-meanwhile.ts';
import { CredentialDeeds } from '../shared/credentials/deeds.tsx';
import { ManagedNotice, type ShownSecret, StateBadge } from '../shared/credentials/parts.tsx';
import { bodyOf, FIELD_OF, TokenFields, valuesOf } from './token-fields.tsx';

interface TokenSheetProps {
  readonly id: string | undefined;
  readonly onClose: () => void;
  readonly onSecret: (secret: ShownSecret) => void;
}

/** One management token, and its form. */
export function TokenSheet({ id, onClose, onSecret }: TokenSheetProps) {
  const text = useText(credentialsText);
  const { query } = useScope();
  const token = useTagged('getToken', { params: { id: id ?? '' }, query }, { enabled: id !== undefined });
  return (
    <Sheet title={token.data?.value.name ?? text.details} isOpen={id !== undefined} onClose={onClose}>
      {token.error && <ErrorBox error={token.error} onRetry={() => void token.refetch()} />}
      {token.isLoading && <Loading />}
      {token.data && <Shown key={token.data.etag} tagged={token.data} onSecret={onSecret} />}
    </Sheet>
  );
}

interface ShownProps {
  readonly tagged: Tagged<Token>;
  readonly onSecret: (secret: ShownSecret) => void;
}

function Shown({ tagged, onSecret }: ShownProps) {
  const text = useText(credentialsText);
  const format = useFormat();
  const token = tagged.value;
  const isChangeable = token.state !== 'revoked' && token.managed_by === 'api';
  const { previous_secret_expires_at: grace } = token;
  return (
    <div className="flex flex-col gap-5">
      <ManagedNotice by={token.managed_by} />
      {grace !== null && <Notice tone="neutral">{text.oldSecret(format.time(grace))}</Notice>}
      <Definitions
        items={[
          { term: text.state, value: <StateBadge state={token.state} /> },
          { term: text.secret, value: <code className="font-mono">{token.preview}</code> },
          { term: text.id, value: <code className="break-all font-mono">{token.id}</code> },
          { term: text.created, value: <Time at={token.created_at} /> },
          {
            term: text.lastUsed,
            value: token.last_used_at === null ? text.neverUsed : <Time at={token.last_used_at} />,
          },
        ]}
      />
      {isChangeable && (
        <div className="flex flex-wrap gap-2">
          <Deeds item={token} onSecret={onSecret} />
        </div>
      )}
      {isChangeable && <Changing tagged={tagged} />}
    </div>
  );
}

function Changing({ tagged: { value: token, etag } }: { readonly tagged: Tagged<Token> }) {
  const text = useText(credentialsText);
  const { query } = useScope();
  const toast = useToast();
  const update = useChange('updateToken', { touches: TOUCHES });
  const changeOfShown = useChangeOfShown();
  const form = useApiForm({
    defaultValues: valuesOf(token),
    fieldOf: FIELD_OF,
    send: async (values) => {
      const change = update.mutateAsync({ params: { id: token.id }, query, body: bodyOf(values), ifMatch: etag });
      if (await changeOfShown(change, TOUCHES)) toast.done(text.saved(values.name));
    },
  });
  return (
    <Form form={form}>
      <TokenFields form={form} />
      <FormError error={form.formError} />
      <FormActions submitLabel={text.save} isBusy={form.isBusy} />
    </Form>
  );
}

const TOUCHES = ['listTokens', 'getToken'] as const;

function Deeds({ item: { id, name }, onSecret }: { readonly item: Token; readonly onSecret: ShownProps['onSecret'] }) {
  const { query } = useScope();
  const rotate = useChange('rotateToken', { touches: TOUCHES });
  const revoke = useChange('revokeToken', { touches: TOUCHES });
  return (
    <CredentialDeeds
      name={name}
      rotate={(grace_seconds) => rotate.mutateAsync({ params: { id }, query, body: { grace_seconds } })}
      revoke={() => revoke.mutateAsync({ params: { id }, query })}
      onSecret={onSecret}
    />
  );
}
