import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { encode } from 'uqr';
import { call } from '../../api/client.ts';
import type { AuthTwoFactorEnableAnswer } from '../../api/schema.ts';
import { Button } from '../../kit/button.tsx';
import { CopyField } from '../../kit/copy.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { Panel } from '../../kit/panel.tsx';
import { Badge } from '../../kit/status.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useSearchState } from '../../shell/search.ts';
import { useSession } from '../../shell/session.tsx';
import { profileText } from '../../text/profile.ts';
import { useText } from '../../text/text.tsx';
import { BackupCodes } from './backup-codes.tsx';
import { useGoOn } from './needed.tsx';
import { PasswordAgain, verifyCode } from './you.tsx';

type Asking = 'set-up' | 'new-codes' | 'turn-off';

/** Manages an authenticator app: enrolment, new backup codes, removal. */
export function Authenticator() {
  const text = useText(profileText);
  const toast = useToast();
  const client = useQueryClient();
  const { me } = useSession();
  const goOn = useGoOn();
  const { values } = useSearchState(['next']);
  const [asking, setAsking] = useState<Asking | null>(null);
  const [begun, setBegun] = useState<AuthTwoFactorEnableAnswer | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const isOn = me.two_factor_enabled;
  const cancel = () => setAsking(null);
  const send: Readonly<Record<Asking, (password: string) => Promise<void>>> = {
    'set-up': async (password) => setBegun(await call('authTwoFactorEnable', { body: { password } })),
    'new-codes': async (password) =>
      setCodes((await call('authTwoFactorGenerateBackupCodes', { body: { password } })).backupCodes),
    'turn-off': async (password) => {
      await call('authTwoFactorDisable', { body: { password } });
      toast.done(text.turnedOff);
      await client.invalidateQueries();
    },
  };
  const labels = { 'set-up': text.setUp, 'new-codes': text.newCodes, 'turn-off': text.turnOff };
  const turnedOn = async () => {
    toast.done(text.turnedOn);
    setCodes(begun?.backupCodes ?? null);
    setBegun(null);
    await client.invalidateQueries();
  };
  const stored = async () => {
    setCodes(null);
    if (values.next !== '') await goOn();
  };
  return (
    <Panel
      title={text.factor}
      description={text.factorAbout}
      actions={<Badge tone={isOn ? 'good' : 'neutral'}>{isOn ? text.factorOn : text.factorOff}</Badge>}
    >
      {codes ? (
        <BackupCodes codes={codes} onStored={() => void stored()} />
      ) : begun ? (
        <Begun totpUri={begun.totpURI} onDone={turnedOn} onCancel={() => setBegun(null)} />
      ) : asking ? (
        <PasswordAgain
          submitLabel={labels[asking]}
          isDanger={asking === 'turn-off'}
          onCancel={cancel}
          send={async (password) => {
            await send[asking](password);
            cancel();
          }}
        />
      ) : (
        <div className="flex flex-wrap gap-2">
          {(isOn ? (['new-codes', 'turn-off'] as const) : (['set-up'] as const)).map((one) => (
            <Button key={one} onClick={() => setAsking(one)}>
              {labels[one]}
            </Button>
          ))}
        </div>
      )}
    </Panel>
  );
}

interface BegunProps {
  readonly totpUri: string;
  readonly onDone: () => Promise<void>;
  readonly onCancel: () => void;
}

function Begun({ totpUri, onDone, onCancel }: BegunProps) {
  const text = useText(profileText);
  const secret = new URL(totpUri).searchParams.get('secret') ?? '';
  const form = useApiForm({
    defaultValues: { code: '' },
    send: async ({ code }) => {
      await verifyCode(code);
      await onDone();
    },
  });
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm">{text.scan}</p>
      <QrCode text={totpUri} label={text.picture} />
      <CopyField label={text.secret} value={secret} />
      <Form form={form}>
        <Field label={text.code} error={form.errorOf('code')} className="max-w-48">
          <TextInput isCode autoFocus inputMode="numeric" autoComplete="one-time-code" {...form.register('code')} />
        </Field>
        <FormError error={form.formError} />
        <FormActions submitLabel={text.turnOn} isBusy={form.isBusy} onCancel={onCancel} />
      </Form>
    </div>
  );
}

/** Dark on light in both themes, since not every app reads inverted codes. */
function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = useMemo(() => encode(text, { border: 2 }), [text]);
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      className="size-48 rounded-md"
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
