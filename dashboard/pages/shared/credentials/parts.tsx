import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { RadioCards, Segmented } from '../../../kit/choice.tsx';
import { ConfirmDialog, Dialog } from '../../../kit/dialog.tsx';
import { FormActions } from '../../../kit/form.tsx';
import { SecretBox } from '../../../kit/secret.tsx';
import { Badge, ErrorBox, Notice } from '../../../kit/status.tsx';
import { credentialsText } from '../../../text/credentials.ts';
import { useText } from '../../../text/text.tsx';

export type CredentialKind = 'key' | 'token';

export type CredentialState = 'active' | 'expired' | 'revoked';

const TONES = { active: 'good', expired: 'warn', revoked: 'neutral' } as const;

export function StateBadge({ state }: { readonly state: CredentialState }) {
  const text = useText(credentialsText);
  return <Badge tone={TONES[state]}>{text.states[state]}</Badge>;
}

interface StateFilterProps {
  /** `all`, or a state. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function StateFilter({ value, onChange }: StateFilterProps) {
  const text = useText(credentialsText);
  const options = [
    { value: 'active', label: text.states.active },
    { value: 'expired', label: text.states.expired },
    { value: 'revoked', label: text.states.revoked },
    { value: 'all', label: text.all },
  ];
  return <Segmented label={text.state} value={value} onChange={onChange} options={options} />;
}

/** Explains why it cannot be changed here; renders nothing if it can. */
export function ManagedNotice({ by }: { readonly by: 'file' | 'environment' | 'api' }) {
  const text = useText(credentialsText);
  if (by === 'api') return null;
  return <Notice tone="neutral">{by === 'file' ? text.file : text.environment}</Notice>;
}

export interface ShownSecret {
  readonly name: string;
  readonly secret: string;
}

interface SecretDialogProps {
  readonly shown: ShownSecret | null;
  readonly title: string;
  /** The kind of secret, within a sentence. */
  readonly what: string;
  readonly onClose: () => void;
}

/** A press outside does not close it, and Escape asks first unless the secret was copied, since it cannot be shown again. */
export function SecretDialog({ shown, title, what, onClose }: SecretDialogProps) {
  const text = useText(credentialsText);
  const [copied, setCopied] = useState<string | null>(null);
  const [isAsked, setAsked] = useState(false);
  return (
    <Dialog
      title={title}
      description={shown?.name}
      isOpen={shown !== null}
      onClose={() => (shown?.secret === copied ? onClose() : setAsked(true))}
      isSticky
      footer={
        <Button variant="primary" onClick={onClose}>
          {text.done}
        </Button>
      }
    >
      {shown && <SecretBox secret={shown.secret} what={what} onCopied={() => setCopied(shown.secret)} />}
      <ConfirmDialog
        title={text.closeTitle(what)}
        body={text.closeAbout(what)}
        confirmLabel={text.closeAnyway}
        isDanger
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        onConfirm={async () => onClose()}
      />
    </Dialog>
  );
}

const GRACES = ['0', '3600', '86400', '604800'] as const;

interface RotateDialogProps {
  readonly kind: CredentialKind;
  readonly name: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly rotate: (graceSeconds: number) => Promise<unknown>;
}

export function RotateDialog({ kind, name, isOpen, onClose, rotate }: RotateDialogProps) {
  const text = useText(credentialsText);
  const [grace, setGrace] = useState<(typeof GRACES)[number]>('86400');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const send = async () => {
    setBusy(true);
    setError(null);
    try {
      await rotate(Number(grace));
      onClose();
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={text.rotateTitle(name)} description={text.rotateText[kind]} isOpen={isOpen} onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <RadioCards
          label={text.rotateText[kind]}
          value={grace}
          onChange={setGrace}
          options={GRACES.map((value) => ({ value, label: text.graces[value] }))}
        />
        {error && <ErrorBox error={error} />}
        <FormActions submitLabel={text.rotate} isBusy={isBusy} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
