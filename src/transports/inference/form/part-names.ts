import type { Failure } from '../../../domain/failure/failure.ts';
import type { FormRules } from '../../../domain/media/uploaded-file.ts';
import { otherSpelling, spellingsOf } from '../../../formats/shared/request/governed-names.ts';
import { withoutBrackets } from './part-header.ts';

/**
 * The parts of a form that the gateway reads. As in a JSON body (`GovernedNames`), no other spelling of their names may reach an
 * upstream, which might read it as the part itself: ASP.NET ignores case, others trim white space, and PHP and Rails take
 * `model[0]` for `model`.
 */
export class PartNames {
  private readonly known: ReadonlySet<string>;
  private readonly spelledAs: ReturnType<typeof spellingsOf>;

  constructor({ files, lists, texts }: FormRules) {
    this.known = new Set([...Object.keys(files), ...lists.map(withoutBrackets), ...texts]);
    this.spelledAs = spellingsOf(this.known);
  }

  /** Whether the gateway reads parts of this name. */
  isKnown(name: string): boolean {
    return this.known.has(name);
  }

  /** The failure for a part that an upstream could read as another one; `null` for all other names. */
  check(name: string): Failure | null {
    if (this.known.has(name)) return null;
    const own = this.spelledAs(name) ?? this.spelledAs(name.replace(/\[.*$/s, ''));
    return own === undefined ? null : otherSpelling([name], own);
  }
}
