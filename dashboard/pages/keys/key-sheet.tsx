import { Activity } from 'lucide-react';
import type { Tagged } from '../../api/client.ts';
import type { Key } from '../../api/schema.ts';
import { useChange, useTagged } from '../../api/use-api.ts';
import { LinkButton } from '../../kit/button.tsx';
import { Money, useFormat } from '../../kit/format.tsx';
import { useScope } from '../../shell/scope.tsx';
import { credentialsText } from '../../text/credentials.ts';
import { useText } from '../../text/text.tsx';
import { CredentialActions } from '../shared/credentials/credential-actions.tsx';
import type { ShownSecret } from '../shared/credentials/parts.tsx';
import { ChangeCredential, CredentialFacts, CredentialSheet, isChangeable } from '../shared/credentials/sheet.tsx';
import { RaiseBudget } from '../shared/usage/raise-budget.tsx';
import { bodyOf, FIELD_OF, KeyFields, valuesOf } from './key-fields.tsx';
import { KeyUsage } from './key-usage.tsx';

interface KeySheetProps {
  readonly id: string | undefined;
  readonly onClose: () => void;
  readonly onSecret: (secret: ShownSecret) => void;
}

/** The details of a key, with its form. */
export function KeySheet({ id, onClose, onSecret }: KeySheetProps) {
  const text = useText(credentialsText);
  const { query, mayWrite, base } = useScope();
  const key = useTagged('getKey', { params: { id: id ?? '' }, query }, { enabled: id !== undefined });
  return (
    <CredentialSheet id={id} read={key} onClose={onClose}>
      {(tagged) => {
        const { value } = tagged;
        const mayChange = mayWrite && isChangeable(value);
        return (
          <>
            <CredentialFacts
              kind="key"
              item={value}
              more={[
                { term: text.spent, value: <Money usd={value.spent_usd} isExact /> },
                { term: text.usageAccess, value: text.usageAccessOf[value.usage_access] },
                { term: text.capture, value: text.captureOf[value.capture ?? ''] },
              ]}
            />
            <div className="flex flex-wrap gap-2">
              <LinkButton to={`${base}/requests`} search={{ key: value.id } as never} size="small" icon={Activity}>
                {text.requests}
              </LinkButton>
              {mayChange && <TaskActions item={value} onSecret={onSecret} />}
            </div>
            {mayWrite && value.state !== 'revoked' && <RaiseKey item={value} />}
            <KeyUsage id={value.id} />
            {mayChange && <Changing tagged={tagged} />}
          </>
        );
      }}
    </CredentialSheet>
  );
}

const TOUCHES = ['listKeys', 'getKey', 'listKeyLimits'] as const;

function Changing({ tagged: { value: key, etag } }: { readonly tagged: Tagged<Key> }) {
  const { timeZone } = useFormat();
  const { query } = useScope();
  const update = useChange('updateKey', { touches: TOUCHES });
  return (
    <ChangeCredential
      defaultValues={valuesOf(key, timeZone)}
      fieldOf={FIELD_OF}
      fields={(form) => <KeyFields form={form} />}
      change={(values) => update.mutateAsync({ params: { id: key.id }, query, body: bodyOf(values), ifMatch: etag })}
      reads={TOUCHES}
    />
  );
}

function RaiseKey({ item }: { readonly item: Key }) {
  const { query } = useScope();
  const raise = useChange('raiseKeyBudget', { touches: TOUCHES });
  const end = useChange('endKeyBudgetRaise', { touches: TOUCHES });
  const params = { id: item.id };
  return (
    <RaiseBudget
      holder={item}
      raise={(body) => raise.mutateAsync({ params, query, body })}
      end={() => end.mutateAsync({ params, query })}
    />
  );
}

function TaskActions({ item: { id, name }, onSecret }: { readonly item: Key } & Pick<KeySheetProps, 'onSecret'>) {
  const { query } = useScope();
  const rotate = useChange('rotateKey', { touches: TOUCHES });
  const revoke = useChange('revokeKey', { touches: TOUCHES });
  return (
    <CredentialActions
      kind="key"
      name={name}
      rotate={(grace_seconds) => rotate.mutateAsync({ params: { id }, query, body: { grace_seconds } })}
      revoke={() => revoke.mutateAsync({ params: { id }, query })}
      onSecret={onSecret}
    />
  );
}
