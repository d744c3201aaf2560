import { ShieldCheck } from 'lucide-react';
import { kitText } from '../text/kit.ts';
import { useText } from '../text/text.tsx';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { Notice } from './status.tsx';

export interface SecretBoxProps {
  readonly secret: string;
  /** The kind of secret, within a sentence: `API key`. */
  readonly what: string;
  /** Called when the reader confirms that it is stored. */
  readonly onStored?: () => void;
  readonly onCopied?: () => void;
}

/** A secret that the gateway shows only once. */
export function SecretBox({ secret, what, onStored, onCopied }: SecretBoxProps) {
  const text = useText(kitText);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Notice tone="warn">{text.secretShownOnce(what)}</Notice>
      <div className="flex flex-wrap items-center gap-2 rounded-lg border border-strong-line bg-sunken p-3">
        <code className="min-w-0 flex-1 basis-48 break-all font-mono text-base select-all">{secret}</code>
        <CopyButton text={secret} label={text.copy} size="normal" onCopied={onCopied} />
      </div>
      {onStored && (
        <Button variant="primary" icon={ShieldCheck} className="self-start" onClick={onStored}>
          {text.secretStored}
        </Button>
      )}
    </div>
  );
}
