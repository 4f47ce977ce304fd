/** Files, commands, tools and errors of a project and how they belong together: a picture, and the same as a list. */
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationNodeDatum } from 'd3-force';
import { useMemo } from 'preact/hooks';
import { visible } from '../../errors.js';
import type { GraphView } from '../wire.js';
import { ProjectChoice, useProject } from './context.js';
import { Show, useLoad } from './door.js';
import { addressOf, asked, withQuery, type Route } from './route.js';
import { counted, Text } from './words.js';

type Node = GraphView['nodes'][number] & SimulationNodeDatum;

export function GraphPage({ route }: { route: Route }) {
  const slug = useProject(route);
  const loaded = useLoad<GraphView>(slug !== null && slug !== 'all' ? asked('/view/graph', { project: slug }) : null);
  return (
    <>
      <h1>Graph</h1>
      <ProjectChoice route={route} slug={slug} />
      {slug === 'all' ? (
        <p>No project is known yet.</p>
      ) : (
        <Show of={loaded}>{(view) => <Graph view={view} route={withSlug(route, slug)} />}</Show>
      )}
    </>
  );
}

const withSlug = (route: Route, slug: string | null): Route => ({ ...route, args: slug === null ? [] : [slug] });

const STRETCH = 1.8;

/** How a graph is laid out: many nodes take fewer steps (half a second otherwise), and few of their names, shorter ones, fit. */
const SMALL = { most: 80, steps: 240, names: 40, chars: 18, room: 38 };
const LARGE = { most: Infinity, steps: 110, names: 16, chars: 14, room: 64 };

const looksOf = (nodes: readonly unknown[]): typeof SMALL => (nodes.length <= SMALL.most ? SMALL : LARGE);

/** Those whose names are shown; of the rest when they are pointed at. */
const namedOf = (nodes: Node[]): Set<Node> =>
  new Set([...nodes].sort((a, b) => b.sessions - a.sessions).slice(0, looksOf(nodes).names));

interface Laid {
  nodes: Node[];
  links: { source: Node; target: Node; rel: string; sessions: number }[];
}

/** Places found before anything is drawn: nothing moves, and the same graph gives the same picture. Pure. */
function layOut({ nodes, links }: GraphView): Laid {
  const placed: Node[] = nodes.map((node) => ({ ...node }));
  const byName = new Map(placed.map((node) => [node.name, node]));
  const joined = links.flatMap((link) => {
    const [source, target] = [byName.get(link.source), byName.get(link.target)];
    return source && target ? [{ ...link, source, target }] : [];
  });
  const named = namedOf(placed);
  const { steps, room } = looksOf(placed);
  forceSimulation(placed)
    .alphaDecay(1 - 0.001 ** (1 / steps))
    .force('link', forceLink(joined).distance(70).strength(0.4))
    .force('charge', forceManyBody().strength(-160).distanceMax(300))
    .force('collide', forceCollide<Node>((node) => (named.has(node) ? room : 14)).iterations(2))
    .force('x', forceX().strength(0.1))
    .force('y', forceY().strength(0.1))
    .stop()
    .tick(steps);
  // Names are wider than high.
  for (const node of placed) node.x! *= STRETCH;
  return { nodes: placed, links: joined };
}

interface Chosen extends Laid {
  /** The name of the node whose relations are told. */
  chosen: string | null;
  route: Route;
}

function Graph({ view, route }: { view: GraphView; route: Route }) {
  const laid = useMemo(() => layOut(view), [view]);
  const chosen = route.query.get('node');
  if (laid.nodes.length === 0) return <p>Nothing is known yet of how files and commands of this project belong together.</p>;
  return (
    <div class={looksOf(laid.nodes) === LARGE ? 'graph wide' : 'graph'}>
      <div>
        <Picture {...laid} chosen={chosen} route={route} />
        <ul class="legend">
          {(['file', 'command', 'tool', 'error'] as const).map((type) => (
            <li key={type}>
              <i class={type} aria-hidden="true" /> {type}
            </li>
          ))}
        </ul>
        {view.more > 0 && <p class="quiet-text">{counted(view.more, 'weaker relation')} left out.</p>}
      </div>
      <NodeList {...laid} chosen={chosen} route={route} />
    </div>
  );
}

const PAD = 30;
/** Names stand in the middle over their nodes. */
const HALF_NAME = 75;
/** Names can be read however wide the picture is. */
const [LEAST_FONT, LETTERS] = [13, 62];
/** The smallest window around all nodes. */
function boxAround(nodes: Node[]): [left: number, top: number, width: number, height: number] {
  const [xs, ys] = [nodes.map(({ x }) => x!), nodes.map(({ y }) => y!)];
  const [left, top] = [Math.min(...xs) - HALF_NAME, Math.min(...ys) - PAD];
  return [left, top, Math.max(...xs) + HALF_NAME - left, Math.max(...ys) + PAD - top];
}

const radiusOf = ({ sessions }: Node): number => Math.min(4 + Math.sqrt(sessions) * 2, 14);

/** For the eye alone: the list beside it says the same. */
function Picture({ nodes, links, chosen, route }: Chosen) {
  const near = useMemo(() => neighboursOf(chosen, links), [chosen, links]);
  const classOf = ({ name, type }: Node): string =>
    `node ${type}${name === chosen ? ' chosen' : chosen === null ? '' : near.has(name) ? ' near' : ' far'}`;
  const named = namedOf(nodes);
  const box = boxAround(nodes);
  return (
    <svg viewBox={box.map(Math.round).join(' ')} font-size={Math.max(LEAST_FONT, box[2] / LETTERS)} aria-hidden="true">
      {links.map(({ source, target, rel, sessions }) => (
        <line
          key={`${source.name} ${rel} ${target.name}`}
          class={source.name === chosen || target.name === chosen ? 'near' : ''}
          x1={source.x}
          y1={source.y}
          x2={target.x}
          y2={target.y}
          stroke-width={Math.min(1 + Math.log2(sessions), 4)}
        />
      ))}
      {nodes.map((node) => (
        <g
          key={node.name}
          class={classOf(node)}
          transform={`translate(${Math.round(node.x!)} ${Math.round(node.y!)})`}
          onClick={() => (location.hash = withQuery(route, { node: node.name === chosen ? null : node.name }))}
        >
          <circle r={radiusOf(node)} />
          <text dy={-Math.round(radiusOf(node) + 4)} class={named.has(node) ? '' : 'rest'}>
            {short(node.name, looksOf(nodes).chars)}
          </text>
        </g>
      ))}
    </svg>
  );
}

/** The end of a path, the beginning of a command. */
function short(name: string, chars: number): string {
  const end = visible(/\s/.test(name) ? name : name.slice(name.lastIndexOf('/') + 1));
  return end.length > chars ? `${end.slice(0, chars - 1)}…` : end;
}

function neighboursOf(chosen: string | null, links: Laid['links']): Set<string> {
  const own = links.filter(({ source, target }) => source.name === chosen || target.name === chosen);
  return new Set(own.flatMap(({ source, target }) => [source.name, target.name]));
}

function NodeList({ nodes, links, chosen, route }: Chosen) {
  const project = route.args[0] ?? null;
  const sorted = [...nodes].sort((a, b) => b.sessions - a.sessions || (a.name < b.name ? -1 : 1));
  return (
    <ul class="rows tight nodes">
      {sorted.map((node) => (
        <li key={node.name}>
          <a
            data-row
            href={withQuery(route, { node: node.name === chosen ? null : node.name })}
            aria-expanded={node.name === chosen}
            role="button"
          >
            <code>
              <Text of={node.name} />
            </code>
          </a>
          <span class="facts">
            <span class={`kind ${node.type}`}>{node.type}</span> <span>{counted(node.sessions, 'session')}</span>
          </span>
          {node.name === chosen && (
            <>
              <ul class="relations">
                {links
                  .filter(({ source, target }) => source === node || target === node)
                  .map(({ source, target, rel, sessions }) => (
                    <li key={`${source.name} ${rel} ${target.name}`}>
                      {source === node && `${rel.replaceAll('_', ' ')} `}
                      <a href={withQuery(route, { node: source === node ? target.name : source.name })}>
                        <code>
                          <Text of={source === node ? target.name : source.name} />
                        </code>
                      </a>{' '}
                      {source !== node && `is ${rel.replaceAll('_', ' ')} it `}
                      in {counted(sessions, 'session')}
                    </li>
                  ))}
              </ul>
              <p class="links">
                <a href={addressOf('search', [], { project, q: node.name })}>Search for it</a>
                {node.type === 'file' && <a href={addressOf('lessons', [], { project, file: node.name })}>Lessons about it</a>}
              </p>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
