import { Controller } from 'react-hook-form';
import type { CreateTokenRequest, Token } from '../../api/schema.ts';
import { Field, TextInput } from '../../kit/field.tsx';
import type { ApiForm } from '../../kit/form.tsx';
import { fromLocalText, toLocalText } from '../../kit/period.ts';
import { MultiSelect } from '../../kit/select.tsx';
import { credentialsText } from '../../text/credentials.ts';
import { useText } from '../../text/text.tsx';
import { ExpiryField } from '../shared/credentials/expiry-field.tsx';
import { said } from '../shared/written.ts';

type Scope = CreateTokenRequest['scopes'][number];

/** A token in its form. */
export interface TokenValues {
  name: string;
  scopes: Scope[];
  expires: string;
}

export function valuesOf(token: Token | null): TokenValues {
  return {
    name: token?.name ?? '',
    scopes: [...(token?.scopes ?? [])],
    expires: token?.expires_at == null ? '' : toLocalText(token.expires_at),
  };
}

/** Returns the body for the API. */
export function bodyOf({ name, scopes, expires }: TokenValues): CreateTokenRequest {
  return {
    name: said(name),
    scopes,
    expires_at: expires === '' ? null : (fromLocalText(expires) ?? null),
  };
}

export const FIELD_OF = { expires_at: 'expires' } as const;

const RESOURCES = [
  ...[
    'account',
    'alerts',
    'balance',
    'batches',
    'cache',
    'captures',
    'channels',
    'keys',
    'limits',
    'members',
    'models',
  ],
  ...['tasks', 'tokens', 'accounts', 'catalog', 'settings', 'system'],
];
const RECORDS = ['audit', 'requests', 'usage'];

const SCOPES = [
  ...['*', '*:read'],
  ...RECORDS.map((record) => `${record}:read`),
  ...RESOURCES.flatMap((resource) => [`${resource}:read`, `${resource}:write`]),
] as Scope[];

export function TokenFields({ form }: { readonly form: ApiForm<TokenValues> }) {
  const text = useText(credentialsText);
  const { register, control, errorOf } = form;
  const options = SCOPES.map((scope) => ({ value: scope, label: scope }));
  return (
    <>
      <Field label={text.name} help={text.nameHelp} error={errorOf('name')}>
        <TextInput maxLength={200} {...register('name')} />
      </Field>
      <Field label={text.scopes} isRequired help={text.scopesHelp} error={errorOf('scopes')}>
        <Controller
          name="scopes"
          control={control}
          render={({ field }) => <MultiSelect options={options} {...field} />}
        />
      </Field>
      <ExpiryField
        input={register('expires')}
        error={errorOf('expires')}
        onPick={(expires) => form.setValue('expires', expires, { shouldDirty: true })}
      />
    </>
  );
}
