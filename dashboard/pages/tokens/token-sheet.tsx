import type { Tagged } from '../../api/client.ts';
import type { Token } from '../../api/schema.ts';
import { useChange, useTagged } from '../../api/use-api.ts';
import { useScope } from '../../shell/scope.tsx';
import { CredentialActions } from '../shared/credentials/credential-actions.tsx';
import type { ShownSecret } from '../shared/credentials/parts.tsx';
import { ChangeCredential, CredentialFacts, CredentialSheet, isChangeable } from '../shared/credentials/sheet.tsx';
import { bodyOf, FIELD_OF, TokenFields, valuesOf } from './token-fields.tsx';

interface TokenSheetProps {
  readonly id: string | undefined;
  readonly onClose: () => void;
  readonly onSecret: (secret: ShownSecret) => void;
}

/** One management token, with its form. */
export function TokenSheet({ id, onClose, onSecret }: TokenSheetProps) {
  const { query } = useScope();
  const token = useTagged('getToken', { params: { id: id ?? '' }, query }, { enabled: id !== undefined });
  return (
    <CredentialSheet id={id} read={token} onClose={onClose}>
      {(tagged) => (
        <>
          <CredentialFacts kind="token" item={tagged.value} />
          {isChangeable(tagged.value) && <Changing tagged={tagged} onSecret={onSecret} />}
        </>
      )}
    </CredentialSheet>
  );
}

const TOUCHES = ['listTokens', 'getToken'] as const;

interface ChangingProps extends Pick<TokenSheetProps, 'onSecret'> {
  readonly tagged: Tagged<Token>;
}

function Changing({ tagged: { value: token, etag }, onSecret }: ChangingProps) {
  const { query } = useScope();
  const { id, name } = token;
  const rotate = useChange('rotateToken', { touches: TOUCHES });
  const revoke = useChange('revokeToken', { touches: TOUCHES });
  const update = useChange('updateToken', { touches: TOUCHES });
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <CredentialActions
          kind="token"
          name={name}
          rotate={(grace_seconds) => rotate.mutateAsync({ params: { id }, query, body: { grace_seconds } })}
          revoke={() => revoke.mutateAsync({ params: { id }, query })}
          onSecret={onSecret}
        />
      </div>
      <ChangeCredential
        defaultValues={valuesOf(token)}
        fieldOf={FIELD_OF}
        fields={(form) => <TokenFields form={form} />}
        change={(values) => update.mutateAsync({ params: { id }, query, body: bodyOf(values), ifMatch: etag })}
        reads={TOUCHES}
      />
    </>
  );
}
