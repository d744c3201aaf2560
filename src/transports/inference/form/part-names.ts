import type { Failure } from '../../../domain/failure/failure.ts';
import type { FormRules } from '../../../domain/media/uploaded-file.ts';
import { otherSpelling, spellingsOf } from '../../../formats/shared/request/governed-names.ts';
import { withoutBrackets } from './part-header.ts';

/**
 * The part names of a form that the gateway reads. As in a JSON body (`GovernedNames`), no other spelling of them may reach an upstream,
 * which might treat it as the part itself: ASP.NET ignores case, others trim white space, and PHP and Rails take `model[0]` for `model`.
 */
export class PartNames {
  private readonly known: ReadonlySet<string>;
  private readonly spelledAs: ReturnType<typeof spellingsOf>;

  constructor({ files, lists, texts }: FormRules) {
    this.known = new Set([...Object.keys(files), ...lists.map(withoutBrackets), ...texts]);
    this.spelledAs = spellingsOf(this.known);
  }

  /** Returns whether the gateway reads parts of this name. */
  isKnown(name: string): boolean {
    return this.known.has(name);
  }

  /** Returns the failure for a part that an upstream could mistake for a known one; `null` for all other names. */
  check(name: string): Failure | null {
    if (this.known.has(name)) return null;
    const own = this.spelledAs(name) ?? this.spelledAs(name.replace(/\[.*$/s, ''));
    return own === undefined ? null : otherSpelling([name], own);
  }
}
