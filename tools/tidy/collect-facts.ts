import type { Node, NoSubstitutionTemplateLiteral, SourceFile, StringLiteral } from 'typescript/unstable/ast';
import { SyntaxKind } from 'typescript/unstable/ast';
import {
  isAsExpression,
  isCallExpression,
  isElementAccessExpression,
  isExportDeclaration,
  isExpressionWithTypeArguments,
  isExternalModuleReference,
  isFunctionLikeDeclaration,
  isIdentifier,
  isImportDeclaration,
  isImportEqualsDeclaration,
  isImportTypeNode,
  isInterfaceDeclaration,
  isLiteralTypeNode,
  isNewExpression,
  isNonNullExpression,
  isNoSubstitutionTemplateLiteral,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isPropertyDeclaration,
  isShorthandPropertyAssignment,
  isStringLiteral,
  isTypeAliasDeclaration,
  isTypeAssertion,
  isTypeNode,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is';
import { collectComments } from './comments.ts';
import type { FileFacts, FunctionFact, ImportFact, ReferenceFact } from './facts.ts';
import { declaredNames, type NameScope, opensScope } from './scopes.ts';

export function collectFacts(
  path: string,
  text: string,
  sourceFile: SourceFile,
  lineStarts: readonly number[],
): FileFacts {
  const collector = new FactCollector(text, sourceFile, lineStarts);
  collector.visit(sourceFile, [], false);
  return {
    path,
    lineCount: text.endsWith('\n') ? lineStarts.length - 1 : lineStarts.length,
    imports: collector.imports,
    functions: collector.functions,
    references: collector.references,
    anyCasts: collector.anyCasts,
    comments: collectComments(text, collector.literals, (position) => collector.lineAt(position)),
  };
}

class FactCollector {
  readonly imports: ImportFact[] = [];
  readonly functions: FunctionFact[] = [];
  readonly references: ReferenceFact[] = [];
  readonly anyCasts: number[] = [];
  /** Ranges of the text in which `//` does not begin a comment. */
  readonly literals: { start: number; end: number }[] = [];

  constructor(
    private readonly text: string,
    private readonly sourceFile: SourceFile,
    private readonly lineStarts: readonly number[],
  ) {}

  lineAt(position: number): number {
    let low = 0;
    let high = this.lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.lineStarts[middle] ?? 0) <= position) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }

  /** Visits a node. Names within types are erased, so they do not count as uses; imports within types do. */
  visit(node: Node, outerScopes: readonly NameScope[], withinType: boolean): void {
    const scopes = opensScope(node) ? [...outerScopes, declaredNames(node)] : outerScopes;
    this.noteLiteral(node);
    this.noteImport(node);
    this.noteFunction(node);
    this.noteAnyCast(node);
    const isType = withinType || isErased(node);
    if (!isType && this.visitReference(node, scopes)) return;
    node.forEachChild((child) => {
      if (!isMerelyAName(child, node)) this.visit(child, scopes, isType);
    });
  }

  /** Returns true if the node was a name or a chain of names, whose parts have then been visited. */
  private visitReference(node: Node, scopes: readonly NameScope[]): boolean {
    if (isCallExpression(node) || isNewExpression(node)) {
      const name = freeName(node.expression, scopes);
      if (name === undefined) return false;
      const callArguments = node.arguments ?? [];
      this.addReference(name, isNewExpression(node) ? 'new' : 'call', node, callArguments);
      this.visitSubscripts(node.expression, scopes);
      for (const argument of callArguments) this.visit(argument, scopes, false);
      for (const typeArgument of node.typeArguments ?? []) this.visit(typeArgument, scopes, true);
      return true;
    }
    if (isPropertyAccessExpression(node) || isElementAccessExpression(node) || isIdentifier(node)) {
      const name = freeName(node, scopes);
      if (name !== undefined) this.addReference(name, 'read', node, []);
      if (name === undefined && isPropertyAccessExpression(node)) this.visit(node.expression, scopes, false);
      if (name === undefined && isElementAccessExpression(node)) return false;
      this.visitSubscripts(node, scopes);
      return true;
    }
    return false;
  }

  /** Visits the literals within `a['b'].c`, although the chain counts as one name. */
  private visitSubscripts(node: Node, scopes: readonly NameScope[]): void {
    if (isElementAccessExpression(node)) this.visit(node.argumentExpression, scopes, false);
    if (isElementAccessExpression(node) || isPropertyAccessExpression(node)) {
      this.visitSubscripts(node.expression, scopes);
    }
  }

  private addReference(name: string, usage: ReferenceFact['usage'], node: Node, callArguments: readonly Node[]): void {
    const argumentTexts = callArguments.map((argument) => this.text.slice(this.startOf(argument), argument.end));
    this.references.push({ name, usage, argumentTexts, line: this.lineAt(this.startOf(node)) });
  }

  private noteLiteral(node: Node): void {
    if (LITERAL_KINDS.has(node.kind)) this.literals.push({ start: this.startOf(node), end: node.end });
  }

  private noteImport(node: Node): void {
    const target = importTarget(node);
    if (target === undefined || !isTextLiteral(target)) return;
    this.imports.push({ specifier: target.text, line: this.lineAt(this.startOf(target)) });
  }

  private noteFunction(node: Node): void {
    if (!isFunctionLikeDeclaration(node) || node.body === undefined) return;
    const start = this.lineAt(this.startOf(node));
    this.functions.push({ name: functionName(node), line: start, lineCount: this.lineAt(node.end) - start + 1 });
  }

  private noteAnyCast(node: Node): void {
    if (!isAsExpression(node) && !isTypeAssertion(node)) return;
    if (node.type.kind === SyntaxKind.AnyKeyword) this.anyCasts.push(this.lineAt(this.startOf(node.type)));
  }

  private startOf(node: Node): number {
    return node.getStart(this.sourceFile);
  }
}

const LITERAL_KINDS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.JsxText,
]);

/** Returns whether an identifier is only a label (`{ fetch: 1 }`, `class Bun`, `x.process`), not a use of a global. */
function isMerelyAName(child: Node, parent: Node): boolean {
  if (!isIdentifier(child)) return false;
  if (isShorthandPropertyAssignment(parent)) return false;
  if (NAME_ONLY_PARENTS.has(parent.kind)) return true;
  const labels = parent as { readonly name?: Node; readonly propertyName?: Node };
  return labels.name?.pos === child.pos || labels.propertyName?.pos === child.pos;
}

const NAME_ONLY_PARENTS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.ImportSpecifier,
  SyntaxKind.ImportClause,
  SyntaxKind.NamespaceImport,
  SyntaxKind.ExportSpecifier,
  SyntaxKind.NamespaceExport,
  SyntaxKind.LabeledStatement,
  SyntaxKind.BreakStatement,
  SyntaxKind.ContinueStatement,
  SyntaxKind.MetaProperty,
  SyntaxKind.JsxAttribute,
]);

function importTarget(node: Node): Node | undefined {
  if (isImportDeclaration(node) || isExportDeclaration(node)) return node.moduleSpecifier;
  if (isImportEqualsDeclaration(node)) {
    return isExternalModuleReference(node.moduleReference) ? node.moduleReference.expression : undefined;
  }
  if (isImportTypeNode(node)) return isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
  if (!isCallExpression(node)) return undefined;
  const isImport = node.expression.kind === SyntaxKind.ImportKeyword;
  const isRequire = isIdentifier(node.expression) && node.expression.text === 'require';
  return isImport || isRequire ? node.arguments[0] : undefined;
}

/** Returns `Date.now` for the expression `Date.now` or `globalThis['Date'].now`; undefined if its root is declared in the file. */
function freeName(expression: Node, scopes: readonly NameScope[]): string | undefined {
  const parts = dottedParts(expression);
  if (parts === undefined) return undefined;
  const [root, ...rest] = parts;
  if (root === undefined || scopes.some((scope) => scope.has(root))) return undefined;
  return root === 'globalThis' && rest.length > 0 ? rest.join('.') : parts.join('.');
}

function dottedParts(expression: Node): string[] | undefined {
  if (isIdentifier(expression)) return [expression.text];
  if (isParenthesizedExpression(expression) || isNonNullExpression(expression)) {
    return dottedParts(expression.expression);
  }
  if (isPropertyAccessExpression(expression)) {
    return dottedParts(expression.expression)?.concat(expression.name.text);
  }
  if (isElementAccessExpression(expression) && isTextLiteral(expression.argumentExpression)) {
    return dottedParts(expression.expression)?.concat(expression.argumentExpression.text);
  }
  return undefined;
}

function functionName(node: Node): string {
  const named = node as { readonly name?: Node };
  if (node.kind === SyntaxKind.Constructor) return 'constructor';
  if (named.name !== undefined && 'text' in named.name) return String(named.name.text);
  const parent = node.parent;
  if (isVariableDeclaration(parent) || isPropertyAssignment(parent) || isPropertyDeclaration(parent)) {
    return 'text' in parent.name ? String(parent.name.text) : 'an unnamed function';
  }
  return 'an unnamed function';
}

function isErased(node: Node): boolean {
  // The base class in `extends Base` is syntactically a type, but is evaluated.
  if (isExpressionWithTypeArguments(node)) return false;
  return isTypeNode(node) || isInterfaceDeclaration(node) || isTypeAliasDeclaration(node);
}

function isTextLiteral(node: Node): node is StringLiteral | NoSubstitutionTemplateLiteral {
  return isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node);
}
