import { useChange } from '../../api/use-api.ts';
import { useScope } from '../../shell/scope.tsx';
import { credentialsText } from '../../text/credentials.ts';
import { useText } from '../../text/text.tsx';
import { NewCredential, type NewCredentialProps } from '../shared/credentials/new-credential.tsx';
import { bodyOf, FIELD_OF, TokenFields, valuesOf } from './token-fields.tsx';

export function NewToken(props: NewCredentialProps) {
  const text = useText(credentialsText);
  const { query } = useScope();
  const create = useChange('createToken', { touches: ['listTokens'] });
  return (
    <NewCredential
      {...props}
      title={text.newToken}
      defaultValues={valuesOf(null)}
      fieldOf={FIELD_OF}
      fields={(form) => <TokenFields form={form} />}
      create={(values) => create.mutateAsync({ query, body: bodyOf(values) })}
    />
  );
}
