import type { Tagged } from '../../api/client.ts';
import type { Key } from '../../api/schema.ts';
import { useChange, useTagged } from '../../api/use-api.ts';
import { LinkButton } from '../../kit/button.tsx';
import { Sheet } from '../../kit/dialog.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { Money, Time, useFormat } from '../../kit/format.tsx';
import { Definitions } from '../../kit/panel.tsx';
import { ErrorBox, Loading, Notice } from '../../kit/status.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useScope } from '../../shell/scope.tsx';
import { credentialsText } from '../../text/credentials.ts';
import { useText } from '../../text/text.tsx';
import { useChangeOfShown } from '../shared/changed-meanwhile.ts';
import { CredentialDeeds } from '../shared/credentials/deeds.tsx';
import { ManagedNotice, type ShownSecret, StateBadge } from '../shared/credentials/parts.tsx';
import { bodyOf, FIELD_OF, KeyFields, valuesOf } from './key-fields.tsx';

interface KeySheetProps {
  readonly id: string | undefined;
  readonly onClose: () => void;
  readonly onSecret: (secret: ShownSecret) => void;
}

/** One key: what is known of it, and its form. */
export function KeySheet({ id, onClose, onSecret }: KeySheetProps) {
  const text = useText(credentialsText);
  const { query } = useScope();
  const key = useTagged('getKey', { params: { id: id ?? '' }, query }, { enabled: id !== undefined });
  return (
    <Sheet title={key.data?.value.name ?? text.details} isOpen={id !== undefined} onClose={onClose}>
      {key.error && <ErrorBox error={key.error} onRetry={() => void key.refetch()} />}
      {key.isLoading && <Loading />}
      {key.data && <Shown key={key.data.etag} tagged={key.data} onSecret={onSecret} />}
    </Sheet>
  );
}

interface ShownProps {
  readonly tagged: Tagged<Key>;
  readonly onSecret: (secret: ShownSecret) => void;
}

function Shown({ tagged, onSecret }: ShownProps) {
  const text = useText(credentialsText);
  const format = useFormat();
  const { mayWrite, base } = useScope();
  const key = tagged.value;
  const isChangeable = mayWrite && key.state !== 'revoked' && key.managed_by === 'api';
  const { previous_secret_expires_at: grace } = key;
  return (
    <div className="flex flex-col gap-5">
      <ManagedNotice by={key.managed_by} />
      {grace !== null && <Notice tone="neutral">{text.oldSecret(format.time(grace))}</Notice>}
      <Definitions
        items={[
          { term: text.state, value: <StateBadge state={key.state} /> },
          { term: text.secret, value: <code className="font-mono">{key.preview}</code> },
          { term: text.id, value: <code className="font-mono break-all">{key.id}</code> },
          { term: text.spent, value: <Money usd={key.spent_usd} isExact /> },
          { term: text.created, value: <Time at={key.created_at} /> },
          { term: text.lastUsed, value: key.last_used_at === null ? text.neverUsed : <Time at={key.last_used_at} /> },
        ]}
      />
      <div className="flex flex-wrap gap-2">
        <LinkButton to={`${base}/requests`} search={{ key: key.id } as never} size="small">
          {text.requests}
        </LinkButton>
        {isChangeable && <Deeds item={key} onSecret={onSecret} />}
      </div>
      {isChangeable && <Changing tagged={tagged} />}
    </div>
  );
}

function Changing({ tagged: { value: key, etag } }: { readonly tagged: Tagged<Key> }) {
  const text = useText(credentialsText);
  const { timeZone } = useFormat();
  const { query } = useScope();
  const toast = useToast();
  const update = useChange('updateKey', { touches: TOUCHES });
  const changeOfShown = useChangeOfShown();
  const form = useApiForm({
    defaultValues: valuesOf(key, timeZone),
    fieldOf: FIELD_OF,
    send: async (values) => {
      const change = update.mutateAsync({ params: { id: key.id }, query, body: bodyOf(values), ifMatch: etag });
      if (await changeOfShown(change, TOUCHES)) toast.done(text.saved(values.name));
    },
  });
  return (
    <Form form={form}>
      <KeyFields form={form} />
      <FormError error={form.formError} />
      <FormActions submitLabel={text.save} isBusy={form.isBusy} />
    </Form>
  );
}

const TOUCHES = ['listKeys', 'getKey', 'listKeyLimits'] as const;

function Deeds({ item: { id, name }, onSecret }: { readonly item: Key; readonly onSecret: ShownProps['onSecret'] }) {
  const { query } = useScope();
  const rotate = useChange('rotateKey', { touches: TOUCHES });
  const revoke = useChange('revokeKey', { touches: TOUCHES });
  return (
    <CredentialDeeds
      name={name}
      rotate={(grace_seconds) => rotate.mutateAsync({ params: { id }, query, body: { grace_seconds } })}
      revoke={() => revoke.mutateAsync({ params: { id }, query })}
      onSecret={onSecret}
    />
  );
}
