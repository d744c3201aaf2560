import { Box, Clapperboard, Image, type LucideIcon, Music } from 'lucide-react';
import { useState } from 'react';
import type { ManagedTask } from '../../api/schema.ts';
import { isShowable, mediaAddress, mediaKindOf } from './media.ts';

export const ICONS: Readonly<Record<ManagedTask['kind'], LucideIcon>> = {
  video: Clapperboard,
  music: Music,
  '3d': Box,
  image: Image,
};

/** A small picture of the result, if there is one. */
export function Thumbnail({ task: { kind, preview } }: { readonly task: ManagedTask }) {
  const [isBroken, setBroken] = useState(false);
  const Icon = ICONS[kind];
  const picture = preview && pictureOf(preview, kind);
  return (
    <span className="flex size-11 shrink-0 items-center justify-center overflow-hidden rounded-md bg-sunken text-soft">
      {picture && !isBroken ? (
        <img src={picture} alt="" loading="lazy" className="size-full object-cover" onError={() => setBroken(true)} />
      ) : (
        <Icon aria-hidden size={18} />
      )}
    </span>
  );
}

type Preview = NonNullable<ManagedTask['preview']>;

/** Returns the address of a still picture of a result; `null` if the page may not show it, or there is none. */
export function pictureOf(
  { url, content_type, cover_url }: Pick<Preview, 'url' | 'content_type' | 'cover_url'>,
  kind: string,
): string | null {
  const picture = cover_url ?? (mediaKindOf(url, content_type, kind) === 'image' ? url : undefined);
  if (picture === undefined) return null;
  const address = mediaAddress(picture);
  return isShowable(address) ? address : null;
}
