import { useState } from 'react';
import { Segmented } from '../../kit/choice.tsx';
import { Field, NumberInput, PasswordInput, TextInput } from '../../kit/field.tsx';
import type { ApiForm } from '../../kit/form.tsx';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.tsx';
import type { SettingValues } from './fields.ts';
import { type SmtpServer, smtpUrlOf } from './smtp-url.ts';

const EMPTY: SmtpServer = { host: '', port: '', security: 'tls', user: '', password: '' };
const PORTS = { tls: '465', starttls: '587' } as const;

/** The parts of a mail server's address. They begin empty, since the address with its password is never shown. */
export function SmtpInput({ form }: { readonly form: ApiForm<SettingValues> }) {
  const text = useText(settingsText);
  const [server, setServer] = useState(EMPTY);
  // So that the gateway's error is shown here.
  form.register('value');
  const change = (part: Partial<SmtpServer>) => {
    const next = { ...server, ...part };
    setServer(next);
    form.setValue('value', smtpUrlOf(next));
  };
  const securities = [
    { value: 'tls', label: text.smtp.tls },
    { value: 'starttls', label: text.smtp.starttls },
  ] as const;
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_7rem]">
        <Field label={text.smtp.host} isRequired error={form.errorOf('value')}>
          <TextInput
            isCode
            placeholder="mail.example.com"
            value={server.host}
            onChange={(event) => change({ host: event.currentTarget.value })}
          />
        </Field>
        <Field label={text.smtp.port}>
          <NumberInput
            isWhole
            placeholder={PORTS[server.security]}
            value={server.port}
            onChange={(event) => change({ port: event.currentTarget.value })}
          />
        </Field>
      </div>
      <Field label={text.smtp.security}>
        <Segmented
          label={text.smtp.security}
          value={server.security}
          onChange={(security) => change({ security })}
          options={securities}
        />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={text.smtp.user} help={text.smtp.userHelp}>
          <TextInput isCode value={server.user} onChange={(event) => change({ user: event.currentTarget.value })} />
        </Field>
        <Field label={text.smtp.password}>
          <PasswordInput
            autoComplete="new-password"
            value={server.password}
            onChange={(event) => change({ password: event.currentTarget.value })}
          />
        </Field>
      </div>
    </>
  );
}
