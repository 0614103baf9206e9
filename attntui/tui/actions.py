"""Keys that change the session alone: time, lanes, events, gaps, scope, marks."""

from __future__ import annotations

from attntui.view.session.session import PAGE, PAN, ZOOM, Session


class SessionActions:
    """Mixed into a screen with a `session`; every action is one step of the session."""

    session: Session

    def action_cursor_left(self) -> None:
        self.session = self.session.cursor_moved(-1)

    def action_cursor_right(self) -> None:
        self.session = self.session.cursor_moved(1)

    def action_pan_left(self) -> None:
        self.session = self.session.panned(-PAN)

    def action_pan_right(self) -> None:
        self.session = self.session.panned(PAN)

    def action_page_left(self) -> None:
        self.session = self.session.panned(-PAGE)

    def action_page_right(self) -> None:
        self.session = self.session.panned(PAGE)

    def action_zoom_in(self) -> None:
        self.session = self.session.zoomed(ZOOM)

    def action_zoom_out(self) -> None:
        self.session = self.session.zoomed(1 / ZOOM)

    def action_fit_all(self) -> None:
        self.session = self.session.fitted()

    def action_fit_selection(self) -> None:
        self.session = self.session.fitted_to_selection()

    def action_next_event(self) -> None:
        self.session = self.session.stepped(1)

    def action_previous_event(self) -> None:
        self.session = self.session.stepped(-1)

    def action_to_launch(self) -> None:
        self.session = self.session.to_launch()

    def action_to_kernel(self) -> None:
        self.session = self.session.to_kernel()

    def action_next_gap(self) -> None:
        self.session = self.session.gap_moved(1)

    def action_previous_gap(self) -> None:
        self.session = self.session.gap_moved(-1)

    def action_threshold_up(self) -> None:
        self.session = self.session.threshold_moved(1)

    def action_threshold_down(self) -> None:
        self.session = self.session.threshold_moved(-1)

    def action_next_step(self) -> None:
        self.session = self.session.step_moved(1)

    def action_previous_step(self) -> None:
        self.session = self.session.step_moved(-1)

    def action_cycle_scope(self) -> None:
        self.session = self.session.scope_cycled()

    def action_measure(self) -> None:
        self.session = self.session.measuring()

    def action_measure_event(self) -> None:
        self.session = self.session.measuring_event()

    def action_bookmark(self) -> None:
        self.session = self.session.bookmarked()

    def action_search_next(self) -> None:
        self.session = self.session.search_moved(1)

    def action_search_previous(self) -> None:
        self.session = self.session.search_moved(-1)

    def action_toggle_collapse(self) -> None:
        self.session = self.session.toggled_collapse()

    def action_toggle_empty(self) -> None:
        self.session = self.session.toggled_empty()
