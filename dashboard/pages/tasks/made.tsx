import { Download } from 'lucide-react';
import { useState } from 'react';
import type { ShownTask } from '../../api/schema.ts';
import { OuterLink } from '../../kit/button.tsx';
import { tasksText } from '../../text/tasks.ts';
import { useText } from '../../text/text.tsx';
import { ModelViewer } from '../shared/model-viewer.tsx';
import { isShowable, type MediaKind, mediaAddress, mediaKindOf } from './media.ts';

type Item = NonNullable<ShownTask['data']>[number];

/** One result of a task: shown or played here, with download links. */
export function Made({ item, kind, place }: { readonly item: Item; readonly kind: string; readonly place: number }) {
  const text = useText(tasksText);
  const { url, content_type: type, cover_url: cover, video_url: video, title, lyrics, revised_prompt: revised } = item;
  const shown = title ?? text.file(place);
  return (
    <figure className="flex min-w-0 flex-col gap-2">
      {url !== undefined && (
        <File
          name={shown}
          url={mediaAddress(url)}
          kind={mediaKindOf(url, type, kind)}
          cover={cover}
          format={item.format ?? type}
        />
      )}
      {video !== undefined && <File name={`${shown}: ${text.kinds.video}`} url={mediaAddress(video)} kind="video" />}
      <figcaption className="flex flex-col gap-1 text-sm">
        {title !== undefined && <span className="font-medium">{title}</span>}
        {lyrics !== undefined && (
          <span className="max-h-48 overflow-y-auto text-soft whitespace-pre-wrap">{lyrics}</span>
        )}
        {revised !== undefined && <span className="text-soft">{revised}</span>}
      </figcaption>
    </figure>
  );
}

interface FileProps {
  readonly name: string;
  readonly url: string;
  readonly kind: MediaKind;
  readonly cover?: string | undefined;
  /** The format of a 3D model, from its task or type. */
  readonly format?: string | undefined;
}

function File(props: FileProps) {
  const text = useText(tasksText);
  const { name, url } = props;
  const [isBroken, setBroken] = useState(false);
  const isShown = isShowable(url) && !isBroken;
  return (
    <>
      {isShown ? (
        <Shown {...props} onBroken={() => setBroken(true)} />
      ) : (
        <p className="text-soft text-sm">{isBroken ? text.isGone : text.isElsewhere}</p>
      )}
      <OuterLink href={url} download target="_blank" className="inline-flex w-fit items-center gap-1.5 text-sm">
        <Download aria-hidden size={15} /> {text.load(name)}
      </OuterLink>
    </>
  );
}

function Shown({ name, url, kind, cover, format, onBroken }: FileProps & { readonly onBroken: () => void }) {
  const poster = cover === undefined ? undefined : mediaAddress(cover);
  const canPoster = poster !== undefined && isShowable(poster);
  if (kind === 'image')
    return <img src={url} alt={name} className="max-h-[70vh] w-fit max-w-full rounded-lg" onError={onBroken} />;
  if (kind === 'video')
    return (
      <video
        src={url}
        aria-label={name}
        controls
        playsInline
        preload="metadata"
        className="max-h-[70vh] w-full rounded-lg bg-sunken"
        onError={onBroken}
        {...(canPoster && { poster })}
      />
    );
  if (kind === 'audio')
    return (
      <>
        {canPoster && <img src={poster} alt="" className="size-40 rounded-lg object-cover" />}
        {/* biome-ignore lint/a11y/useMediaCaption: nobody has made captions */}
        <audio src={url} aria-label={name} controls preload="metadata" className="w-full" onError={onBroken} />
      </>
    );
  if (kind === 'model') return <ModelViewer url={url} label={name} format={format} />;
  return null;
}
