"""Where all themes are built, in the order in which they need one another, and listed once."""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from desktop.agent.acp.build import Acp
from desktop.agent.acp.carrier import Carrier
from desktop.agent.acp.ground import AcpGround
from desktop.agent.boundaries.build import boundaries_theme
from desktop.agent.changes.build import Changes
from desktop.agent.chats.build import Chats
from desktop.agent.children.build import ChildrenTheme
from desktop.agent.compared.build import compared_theme
from desktop.agent.context.build import Context
from desktop.agent.core.command_world import CommandWorld
from desktop.agent.core.ground import Ground
from desktop.agent.core.lane_register import Lanes
from desktop.agent.core.premises import Premises
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.surroundings import Surroundings
from desktop.agent.core.theme import Themes
from desktop.agent.credentials.build import Credentials
from desktop.agent.credentials.pasted import PastedSecrets
from desktop.agent.egress.build import egress_theme, own_egress
from desktop.agent.gate.build import Gate
from desktop.agent.gate.own_sandbox import own_sandbox
from desktop.agent.github.access import GitHubAccess
from desktop.agent.github.build import github_theme
from desktop.agent.guests.build import Guests, own_guests
from desktop.agent.handover.build import handover_theme
from desktop.agent.history.build import history_theme
from desktop.agent.hooks.build import Hooks
from desktop.agent.inbox.build import inbox_theme
from desktop.agent.lanes.base import LaneActs, LaneBase, LaneContents
from desktop.agent.lanes.build import LaneMaking
from desktop.agent.lanes.endings.build import Going, LaneEndings
from desktop.agent.lanes.folder import FilesOf
from desktop.agent.lanes.keeper import LaneKeeper
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.lanes.ready.build import LanesReady
from desktop.agent.lanes.ready.lane_file import LaneFileReader
from desktop.agent.lanes.ready.setup_record import SetupsKept
from desktop.agent.lanes.stacks.auto_rebase import AutoRebase
from desktop.agent.lanes.stacks.build import Stacks, rebasing_theme
from desktop.agent.lanes.standing.build import LaneStanding
from desktop.agent.lanes.use import LaneUse
from desktop.agent.ledger.acts import ActTaker
from desktop.agent.ledger.build import ledger_theme
from desktop.agent.ledger.skills import SkillTaker
from desktop.agent.library.build import Library
from desktop.agent.library.record_check import RecordCheck
from desktop.agent.mcp.build import mcp_theme
from desktop.agent.memory.build import Memory
from desktop.agent.mentions.build import mentions_theme
from desktop.agent.mentions.reading import Beside
from desktop.agent.options import EngineOptions
from desktop.agent.preview.build import preview_theme
from desktop.agent.proofs.build import ProofKeeping, Proofs, Requests
from desktop.agent.proofs.retention import ProofRetention
from desktop.agent.pulls.build import PullNeeds, Pulls, pull_book
from desktop.agent.pulls.claims import PullClaims
from desktop.agent.releases.build import releases_theme
from desktop.agent.reports.build import Reports
from desktop.agent.reports.evidence import EvidenceWriter
from desktop.agent.reports.lane_evidence import LaneEvidence
from desktop.agent.rounds.build import Rounds
from desktop.agent.rounds.forge import RoundForge
from desktop.agent.settings.build import settings_theme
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.agent.skills.build import Skills
from desktop.agent.terminals.build import terminals_theme
from desktop.agent.turns.aside import ModelAside
from desktop.agent.turns.build import Turns
from desktop.agent.turns.drivers import Drivers
from desktop.agent.turns.frame import LoopParts
from desktop.agent.web.build import web_theme
from desktop.domain.core.command import Command
from desktop.services.git.login import Login
from desktop.store.core.store import Store
from desktop.tools.registry import builtin_tools


class Basement:
    """What stands below the themes: lanes, the sandbox, and the chats that work in them."""

    def __init__(self, premises: Premises, settings: SettingsKeeper, options: EngineOptions) -> None:
        folders, store, clock, telling = premises.folders, premises.store, premises.clock, premises.telling
        root = settings.current.lanes_root
        lanes = Lanes(
            store.lanes,
            Path(root) if root else folders.lanes,
            clock,
            prefix=lambda: settings.current.lane_prefix,
            spare=options.spare,
        )
        sandbox = options.sandbox or own_sandbox(folders, lanes.root, clock, options.found)
        self.egress = options.egress or own_egress(settings, options.resolve)
        has_window = options.has_window and options.kind == "interactive"
        self.here = Surroundings(folders, sandbox, has_window, self.egress)
        keeper = LaneKeeper(clock, LaneEvidence(store.readings).trees, lanes.take_fresh)
        self.lane_file = LaneFileReader(premises.project, folders)

        def witness(session: Session, is_open: Callable[[], bool]) -> EvidenceWriter:
            return EvidenceWriter(session, keeper, store.blobs, lambda: settings.redactor, is_open)

        world = CommandWorld(sandbox, self.lane_file.env, witness, self.egress)
        self.sessions = Sessions(store, lanes, folders, telling.publish, clock, world)
        use = LaneUse(self.sessions.lane_lock, lanes.repository)
        use.add(self.sessions)
        self.base = LaneBase(
            Ground(lanes, premises.project),
            telling,
            LaneActs(ProjectLog(store.events, premises.project), use),
            LaneContents(FilesOf(folders), keeper),
            clock,
        )


class ChatThemes:
    """What begins, judges, runs, keeps and finds chats."""

    def __init__(self, premises: Premises, below: Basement, settings: SettingsKeeper, options: EngineOptions) -> None:
        store, sessions, keeper = premises.store, below.sessions, below.base.contents.keeper
        look = RecordCheck(store.readings, premises.telling.publish).look
        self.chats = Chats(premises, sessions, settings, look)
        self.hooks = Hooks(premises, sessions, settings, below.base.acts.log, below.egress)
        self.gate = Gate(premises, sessions, keeper, settings, self.hooks, can_ask=options.can_ask)
        self.preview = preview_theme(premises, sessions, keeper, self.gate, settings)
        self.credentials = Credentials(premises, sessions, settings, self.gate)
        self.context = Context(premises, sessions, settings, self.chats.slash, self.gate.additions)
        self.memory = Memory(premises, settings, below.base.acts.log.append, sessions.get)
        orientation = self.memory.orientation
        own = own_guests(premises, below.here, settings, below.base.ground.lanes.root)
        guests = Guests(premises, sessions, settings, keeper, options.guests or own)

        def drivers(parts: LoopParts) -> Drivers:
            return Drivers(options.driver(parts), partial(guests.driver, parts.frame), guests.may_begin)

        self.turns = Turns(premises, self.chats, self.gate, self.context.keeper, orientation, drivers)
        self.guests = guests.theme(self.turns.frame)
        self.signing_in = lambda: guests.signing_in
        self.turns.heard.add(PastedSecrets(lambda: settings.redactor).heard)
        self.boundaries = boundaries_theme(premises, sessions, self.gate, self.turns)
        self.children = ChildrenTheme(self.turns, self.chats.cut_off, below.base, self.gate.rules)
        ground = below.base.ground
        commands = self.gate.commands
        self.history = history_theme(self.turns.chats, ground.lanes, keeper, store, premises.telling, commands)
        self.library = Library(premises, ground, sessions, settings)
        self.settings = settings_theme(settings, premises.telling.publish, premises.project)
        self.skills = Skills(premises, self.chats, below.base.acts.log, below.here)
        self.children.agents.found.add(self.skills.agents_of)
        self.children.agents.texts.add(self.skills.chats.bodies)
        self.credentials.mounts.add(self.skills.chats.mounts)
        aside = ModelAside(self.turns.chats)
        self.mcp = mcp_theme(premises, below.here, settings, below.base.acts.log, aside)
        guests.before.add(self.mcp.before_request)
        self.handover = handover_theme(premises, aside)
        self.inbox = inbox_theme(premises, self.gate.inputs)


class LaneThemes:
    """What makes, keeps and ends lanes, and what works in them beside chats."""

    def __init__(self, premises: Premises, below: Basement, talk: ChatThemes, login: Login) -> None:
        store, publish, base, chats = premises.store, premises.telling.publish, below.base, talk.turns.chats
        sessions, settings = chats.sessions, chats.settings
        self.making = LaneMaking(base, sessions, settings, chats.starter, login)
        self.terminals = terminals_theme(base.ground, publish, base.acts.use, sessions, settings, talk.signing_in)
        kept = SetupsKept(store, settings)
        self.ready = LanesReady(base, below.lane_file, sessions, chats.turns, kept, self.making.list)
        self.retention = ProofRetention(store, publish)
        reviews, requests = store.reviews, store.pulls

        def forget(lane_id: str) -> None:
            reviews.forget(lane_id)
            requests.forget(lane_id)

        going = Going(premises.folders.data / "trash" / "lanes", login, self.retention, forget)
        self.endings = LaneEndings(base, sessions, self.making.list, self.ready.setups, going)
        self.stacks = Stacks(base, sessions, premises.folders)
        self.changes = Changes(base, chats, store, login)
        self.standing = LaneStanding(
            base, sessions, self.endings.repairs.look_again, shown=premises.kind == "interactive"
        )


class ReviewThemes:
    """What is said and shown of the work in lanes, and what becomes of it on GitHub."""

    def __init__(
        self, store: Store, below: Basement, over: ChatThemes, lanes: LaneThemes, github: GitHubAccess
    ) -> None:
        base, chats, judge = below.base, over.turns.chats, over.gate.judge
        clock, contents, ground = base.clock, base.contents, base.ground
        book = pull_book(base, github, store.pulls)
        claims = PullClaims(ground.lanes, clock, github, book)
        self.reports = Reports(base, chats.sessions, store, claims, judge, over.gate.caller)
        reports, pusher, runs = self.reports.book, lanes.changes.pusher, lanes.stacks.runs
        lanes.standing.status.changed.add(reports.touch)
        chats.turns.stopped.add(self.reports.commands.stop)
        keeping = ProofKeeping(clock, contents, chats.settings, store, lanes.retention, reports)
        needs = PullNeeds(book, reports, lanes.making.maker, lanes.endings.remover, pusher, keeping.texts)
        self.pulls = Pulls(base, chats, github, needs)
        requests = Requests(book, self.pulls.edits, github.git_token)
        self.proofs = Proofs(base, chats, store, keeping, below.here, requests)
        forge = RoundForge(ground, pusher, runs, book, self.pulls.merger, self.pulls.aftermath)
        self.rounds = Rounds(base, chats, store.resolutions, book, forge, judge.resolver_tools)
        rebasing = AutoRebase(ground.lanes, base.acts.use, chats.settings, runs, book.is_open)
        self.rebasing = rebasing_theme(rebasing)


class Assembly:
    """The themes that others and the engine work with are attributes; `themes` lists all of them.

    Raises:
        LookupError: no theme offers what tools ask for.
        ValueError: two themes carry out the same command, or offer the same.
    """

    def __init__(
        self,
        premises: Premises,
        settings: SettingsKeeper,
        options: EngineOptions,
        is_reading: Callable[[], bool],
        handle: Callable[[Command], Awaitable[None]],
    ) -> None:
        """`handle` carries out a command as one of a window."""
        below = Basement(premises, settings, options)
        self.sessions, self.base = below.sessions, below.base
        self.chats = ChatThemes(premises, below, settings, options)
        self.github = GitHubAccess(settings, premises.telling.publish, premises.clock, pace=options.github_pace)
        self.lanes = LaneThemes(premises, below, self.chats, self.github.git_token)
        self.reviews = ReviewThemes(premises.store, below, self.chats, self.lanes, self.github)
        chats, lanes, reviews = self.chats, self.lanes, self.reviews

        async def run(command: Command) -> None:
            await self.themes.handlers[type(command)](command)

        work, store = chats.turns.chats, premises.store
        ground = AcpGround(Carrier(handle), below.sessions, below.base.ground, settings, below.here)
        self.acp = Acp(ground, listens=premises.kind == "interactive")
        beside = Beside(lanes.standing.status.statuses.get, chats.children.agents.of)
        mentions = mentions_theme(
            premises, below.sessions, below.base.ground, chats.gate.judge, chats.chats.readers, beside
        )
        acts = ActTaker(run, below.base.ground, lanes.endings.losses, store.memory)
        self.themes = Themes(
            chats.gate.theme(is_reading),
            chats.chats.theme,
            mentions,
            chats.turns.theme,
            chats.memory.theme,
            chats.children.theme,
            chats.history,
            ledger_theme(below.base, work, chats.gate, store, (acts, SkillTaker(chats.skills.commands))),
            chats.handover,
            chats.inbox,
            compared_theme(premises, below.base, below.sessions, run),
            lanes.endings.theme,
            lanes.terminals,
            lanes.ready.theme,
            lanes.stacks.theme,
            lanes.making.theme,
            lanes.standing.theme,
            lanes.changes.theme,
            github_theme(self.github),
            reviews.reports.theme,
            reviews.proofs.theme,
            reviews.pulls.theme,
            reviews.rounds.theme,
            reviews.rebasing,
            chats.memory.episodes(reviews.reports.book),
            chats.settings,
            chats.credentials.theme,
            chats.preview,
            chats.boundaries,
            chats.context.theme(lambda session: chats.turns.driver.abilities(session).compacts),
            chats.library.theme,
            chats.skills.theme,
            chats.mcp,
            egress_theme(premises, below.sessions, below.base.acts.log, below.egress),
            web_theme(settings, premises.telling.publish, options.resolve, below.egress.note),
            releases_theme(
                premises,
                settings,
                options.releases() if below.here.has_window else None,
                options.resolve,
                below.egress.note,
            ),
            chats.hooks.theme,
            chats.guests,
            self.acp.theme,
            *options.themes,
        )
        self.themes.add_to(chats.gate.additions)
        offers = chats.gate.offers
        offers.give(*self.themes.offers)
        offers.require(*builtin_tools().needs)
