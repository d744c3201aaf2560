import type { BrandingSettings } from '../../settings/settings.ts';

/** The part of the branding that emails show. */
export type MailBranding = Pick<BrandingSettings, 'name' | 'supportUrl'>;

/** Returns the text of an email with a last line that names the service, and where to get help. */
export function signedText(text: string, { name, supportUrl }: MailBranding): string {
  const help = supportUrl === null ? '' : `\nHelp: ${supportUrl.replace(/^mailto:/, '')}`;
  return `${text.trimEnd()}\n\n${name}${help}\n`;
}
