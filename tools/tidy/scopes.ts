import type { Node } from 'typescript/unstable/ast';
import { SyntaxKind } from 'typescript/unstable/ast';
import {
  isBindingElement,
  isClassExpression,
  isFunctionExpression,
  isFunctionLikeDeclaration,
  isIdentifier,
} from 'typescript/unstable/ast/is';

/** The names that one scope declares, so that a parameter called `fetch` is not mistaken for the global. */
export type NameScope = ReadonlySet<string>;

export function opensScope(node: Node): boolean {
  return SCOPE_KINDS.has(node.kind) || isFunctionLikeDeclaration(node);
}

export function declaredNames(scope: Node): NameScope {
  const names = new Set<string>();
  // An expression's own name is visible only within it; a declaration's belongs to the surrounding scope.
  if (isFunctionExpression(scope) || isClassExpression(scope)) addName(scope, names);
  scope.forEachChild((child) => addDeclarations(child, names));
  return names;
}

function addDeclarations(node: Node, names: Set<string>): void {
  if (CARRIERS.has(node.kind)) node.forEachChild((child) => addDeclarations(child, names));
  if (DECLARATIONS.has(node.kind)) addName(node, names);
}

function addName(node: Node, names: Set<string>): void {
  const name = (node as { readonly name?: Node }).name;
  if (name === undefined) return;
  if (isIdentifier(name)) names.add(name.text);
  else addPattern(name, names);
}

function addPattern(pattern: Node, names: Set<string>): void {
  if (!PATTERNS.has(pattern.kind)) return;
  pattern.forEachChild((element) => {
    if (isBindingElement(element)) addName(element, names);
  });
}

const SCOPE_KINDS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.SourceFile,
  SyntaxKind.Block,
  SyntaxKind.ModuleBlock,
  SyntaxKind.CaseBlock,
  SyntaxKind.ForStatement,
  SyntaxKind.ForInStatement,
  SyntaxKind.ForOfStatement,
  SyntaxKind.CatchClause,
  SyntaxKind.ClassExpression,
]);

/** Nodes that are not scopes and may contain declarations of the surrounding scope. */
const CARRIERS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.VariableStatement,
  SyntaxKind.VariableDeclarationList,
  SyntaxKind.ImportDeclaration,
  SyntaxKind.ImportClause,
  SyntaxKind.NamedImports,
  SyntaxKind.CaseClause,
  SyntaxKind.DefaultClause,
]);

const DECLARATIONS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.VariableDeclaration,
  SyntaxKind.Parameter,
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.ClassDeclaration,
  SyntaxKind.EnumDeclaration,
  SyntaxKind.ModuleDeclaration,
  SyntaxKind.ImportClause,
  SyntaxKind.ImportSpecifier,
  SyntaxKind.NamespaceImport,
  SyntaxKind.ImportEqualsDeclaration,
]);

const PATTERNS: ReadonlySet<SyntaxKind> = new Set([SyntaxKind.ObjectBindingPattern, SyntaxKind.ArrayBindingPattern]);
