import { z } from 'zod';
import { readLogo } from '../../../domain/branding/logo.ts';
import { MAP, text } from '../../../providers/shared/file-fields.ts';
import { type BrandingSettings, DEFAULT_BRANDING } from '../../settings/settings.ts';

/** The base64 of the largest logo, with its prefix. */
const LONGEST_LOGO = 88_000;
const ADDRESS = 'must be an email address, or an address such as "https://example.com/help"';
const EMAIL = /^[^\s<>@"?&,;:/]{1,100}@[^\s<>@"?&,;:/]{1,150}$/;

const logo = z
  .string({ error: 'must be a PNG or WebP image as "data:image/png;base64,…"' })
  .max(LONGEST_LOGO, { error: 'must be at most 64 KB' })
  .transform((url, context) => {
    const read = readLogo(url);
    if (read.ok) return read.logo;
    context.addIssue({ code: 'custom', message: read.problem });
    return z.NEVER;
  });

/** An address for a link: other schemes, and the headers that `mailto:` can add, are refused. */
const supportAddress = z
  .string({ error: ADDRESS })
  .max(500, { error: 'must be at most 500 characters' })
  .transform((value, context) => {
    const email = value.replace(/^mailto:/, '');
    if (EMAIL.test(email)) return `mailto:${email}`;
    const url = /^https:\/\/[^\s"<>]+$/.test(value) ? URL.parse(value) : null;
    if (url !== null && url.username === '' && url.password === '') return url.href;
    context.addIssue({ code: 'custom', message: ADDRESS });
    return z.NEVER;
  });

export const brandingSchema = z.strictObject(
  {
    // It is part of the subject of emails and of the titles of pages.
    name: text(
      'must be 1 to 40 characters, without < and >',
      /^(?=\S)[^\p{Cc}\p{Cf}\u2028\u2029<>]{1,40}(?<=\S)$/u,
    ).nullish(),
    logo: logo.nullish(),
    accent_color: text('must be a color such as "#0f5fb8"', /^#[0-9a-fA-F]{6}$/).nullish(),
    support_address: supportAddress.nullish(),
  },
  MAP,
);

export function brandingFrom(section: z.output<typeof brandingSchema>): BrandingSettings {
  return {
    name: section.name ?? DEFAULT_BRANDING.name,
    logo: section.logo ?? DEFAULT_BRANDING.logo,
    accentColor: section.accent_color?.toLowerCase() ?? DEFAULT_BRANDING.accentColor,
    supportUrl: section.support_address ?? DEFAULT_BRANDING.supportUrl,
  };
}
