import { Download, ShieldCheck } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { useBrand } from '../../kit/brand.tsx';
import { Button, FileButton } from '../../kit/button.tsx';
import { CopyButton } from '../../kit/copy.tsx';
import { Notice } from '../../kit/status.tsx';
import { useSession } from '../../shell/session.tsx';
import { kitText } from '../../text/kit.ts';
import { profileText } from '../../text/profile.ts';
import { useText } from '../../text/text.tsx';

interface BackupCodesProps {
  readonly codes: readonly string[];
  readonly onStored: () => void;
}

/** The codes, which the gateway shows only once: one per line, to copy, to download or to print. */
export function BackupCodes({ codes, onStored }: BackupCodesProps) {
  const text = useText(profileText);
  const words = useText(kitText);
  const { name } = useBrand();
  const { me } = useSession();
  const lines = codes.join('\n');
  const href = useFile(`${text.codesFor(name, me.email)}\n${text.codesAbout}\n\n${lines}\n`);
  return (
    <div className="flex flex-col gap-3">
      <p className="font-medium">{text.codes}</p>
      <p className="text-soft text-sm">{text.codesAbout}</p>
      <Notice tone="warn">{text.codesOnce}</Notice>
      <ol
        aria-label={text.codes}
        className="flex flex-col gap-1 rounded-lg border border-strong-line bg-sunken p-3 font-mono"
      >
        {codes.map((code) => (
          <li key={code} className="select-all break-all">
            {code}
          </li>
        ))}
      </ol>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={lines} label={text.copyAll} size="normal" />
        <FileButton href={href} download="backup-codes.txt" icon={Download}>
          {text.downloadCodes}
        </FileButton>
        <Button variant="primary" icon={ShieldCheck} onClick={onStored}>
          {words.secretStored}
        </Button>
      </div>
    </div>
  );
}

/** Returns the address of a text file that exists as long as the component. */
function useFile(content: string): string {
  const href = useMemo(() => URL.createObjectURL(new Blob([content], { type: 'text/plain' })), [content]);
  useEffect(() => () => URL.revokeObjectURL(href), [href]);
  return href;
}
