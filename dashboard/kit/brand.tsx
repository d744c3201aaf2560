import { useEffect, useSyncExternalStore } from 'react';
import icon from '../icon.svg';
import { cx } from './classes.ts';

/** How the gateway presents itself. The page contains it, so that the first paint has it. Addresses are relative to the gateway's. */
export interface Brand {
  readonly name: string;
  readonly logo_url: string | null;
  readonly style_url: string | null;
  readonly support_url: string | null;
}

const PLAIN: Brand = { name: 'Switchyard', logo_url: null, style_url: null, support_url: null };

function written(): Brand {
  const content = document.querySelector<HTMLMetaElement>('meta[name="branding"]')?.content;
  return content === undefined ? PLAIN : (JSON.parse(content) as Brand);
}

let brand = written();
const listeners = new Set<() => void>();

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useBrand(): Brand {
  return useSyncExternalStore(listen, () => brand);
}

/** Shows a changed branding without a reload of the page. */
export function applyBrand(next: Brand): void {
  if (JSON.stringify(next) === JSON.stringify(brand)) return;
  document.title = document.title.replace(` · ${brand.name}`, ` · ${next.name}`);
  document.querySelector<HTMLLinkElement>('link[data-branding]')?.remove();
  if (next.style_url !== null) {
    const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: next.style_url });
    link.dataset.branding = '';
    document.head.append(link);
  }
  const favicon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (favicon) {
    favicon.removeAttribute('type');
    favicon.href = next.logo_url ?? icon;
  }
  brand = next;
  for (const listener of listeners) listener();
}

/** Sets the window's title to that of the page and the name of the service. */
export function usePageTitle(title: string): void {
  const { name } = useBrand();
  useEffect(() => {
    document.title = `${title} · ${name}`;
  }, [title, name]);
}

/** The logo. Its class limits height and width: a logo may be wide. */
export function BrandLogo({ className }: { readonly className: string }) {
  const { logo_url: url } = useBrand();
  return <img src={url ?? icon} alt="" className={cx('w-auto object-contain object-left', className)} />;
}
