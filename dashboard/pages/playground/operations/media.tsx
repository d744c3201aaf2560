import { Download } from 'lucide-react';
import { useState } from 'react';
import { OuterLink } from '../../../kit/button.tsx';
import { playgroundText } from '../../../text/playground.ts';
import { useText } from '../../../text/text.tsx';
import { ModelViewer } from '../../shared/model-viewer.tsx';

export interface MediaProps {
  readonly url: string;
  /** Such as `image/png`, if known. */
  readonly type: string;
  readonly label: string;
  /** The name of the downloaded file. */
  readonly fileName: string;
  readonly format?: string | undefined;
}

/** A file that a model has generated: shown if the browser can, with a download link. */
export function Media(props: MediaProps) {
  const text = useText(playgroundText);
  const { url, fileName } = props;
  // No other address from a model is used.
  if (!/^(?:https?:|blob:|data:(?:image|audio|video)\/)/.test(new URL(url, document.baseURI).href)) return null;
  return (
    <figure className="flex min-w-0 flex-col gap-1.5">
      <Shown key={url} {...props} />
      <figcaption className="text-sm">
        <OuterLink href={url} download={fileName} target="_blank" className="inline-flex items-center gap-1">
          <Download aria-hidden className="size-4" />
          {text.download}
        </OuterLink>
      </figcaption>
    </figure>
  );
}

function Shown({ url, type, label, format }: MediaProps) {
  const text = useText(playgroundText);
  const [hasFailed, setHasFailed] = useState(false);
  const onError = () => setHasFailed(true);
  // The page's policy only allows files of the gateway, so those at a provider are not loaded.
  if (hasFailed) return <p className="text-soft text-sm">{text.notShown}</p>;
  const kind = type.split('/')[0];
  if (kind === 'video')
    // biome-ignore lint/a11y/useMediaCaption: nobody has captions of what was just made
    return <video controls src={url} aria-label={label} onError={onError} className="max-h-96 max-w-full rounded-lg" />;
  if (kind === 'audio')
    // biome-ignore lint/a11y/useMediaCaption: nobody has captions of what was just made
    return <audio controls src={url} aria-label={label} onError={onError} className="w-full" />;
  if (kind === 'model' || (format !== undefined && MODELS.has(format)))
    return <ModelViewer url={url} format={format ?? type} label={label} />;
  if (kind === 'image')
    return <img src={url} alt={label} onError={onError} className="max-h-[32rem] max-w-full self-start rounded-lg" />;
  return null;
}

const MODELS: ReadonlySet<string> = new Set(['glb', 'gltf', 'obj', 'stl']);
