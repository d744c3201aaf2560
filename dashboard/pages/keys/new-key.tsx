import { useChange } from '../../api/use-api.ts';
import { useFormat } from '../../kit/format.tsx';
import { useScope } from '../../shell/scope.tsx';
import { credentialsText } from '../../text/credentials.ts';
import { useText } from '../../text/text.tsx';
import { NewCredential, type NewCredentialProps } from '../shared/credentials/new-credential.tsx';
import { bodyOf, FIELD_OF, KeyFields, valuesOf } from './key-fields.tsx';

export function NewKey(props: NewCredentialProps) {
  const text = useText(credentialsText);
  const { timeZone } = useFormat();
  const { query } = useScope();
  const create = useChange('createKey', { touches: ['listKeys', 'listKeyLimits'] });
  return (
    <NewCredential
      {...props}
      title={text.newKey}
      defaultValues={valuesOf(null, timeZone)}
      fieldOf={FIELD_OF}
      fields={(form) => <KeyFields form={form} />}
      create={(values) => create.mutateAsync({ query, body: bodyOf(values) })}
    />
  );
}
