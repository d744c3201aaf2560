import { markOf } from './marks.ts';

/** A small square with two letters in the colour of a provider, beside its name. White on these grounds has a contrast above 4.5. */
export function ProviderMark({ provider }: { readonly provider: string }) {
  const [letters, hue] = markOf(provider);
  return (
    <span
      aria-hidden
      className="inline-flex size-7 shrink-0 select-none items-center justify-center rounded-md font-semibold text-xs"
      style={{ backgroundColor: `hsl(${hue} 45% 32%)`, color: '#fff' }}
    >
      {letters}
    </span>
  );
}
