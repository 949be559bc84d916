"""Every fault that the program is held to, what has to come of it, and the tests that hold it to that."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    fault: str
    outcome: str
    tests: tuple[str, ...]
    """Each "file below tests, without .py: name of the test"."""


ROWS = (
    # -- the service gives less than it was asked for
    Row(
        "a third of the reads is throttled",
        "every row once, and a word of waiting instead of an error",
        (
            "faults/test_reading: test_a_scan_under_faults_has_every_item_once",
            "faults/test_bulk: test_a_scan_in_segments_under_faults_has_every_item_once",
            "faults/test_reconciling: test_a_third_of_the_reads_throttled_and_others_cut_changes_no_verdict",
        ),
    ),
    Row(
        "no capacity for minutes",
        "the read waits at its place, can be cancelled, and goes on by itself",
        (
            "faults/test_reading: test_a_throttled_scan_waits_and_keeps_its_place",
            "faults/test_reading: test_cancelling_ends_the_waiting",
            "faults/test_reconciling: test_minutes_without_capacity_or_network_are_waited_out",
        ),
    ),
    Row(
        "one partition is throttled and the others are not",
        "the others go on, and that one is left for later",
        ("faults/test_reconciling: test_a_hot_partition_is_left_for_later_and_the_others_go_on",),
    ),
    Row(
        "a write of a repair is throttled",
        "not written, tried again with pauses, and each try is in the journal",
        ("faults/test_repairs: test_a_refusal_for_now_is_tried_again_and_each_try_is_noted",),
    ),
    Row(
        "a write conflicts with a transaction",
        "tried again; a conflict that stays is a lost race, and nothing is half done",
        (
            "faults/test_repairs: test_a_refusal_for_now_is_tried_again_and_each_try_is_noted",
            "reconcile/test_repair: test_a_refusal_that_stays_is_a_lost_race",
        ),
    ),
    Row(
        "a transaction is cancelled for several reasons",
        "each reason beside its action, with the item found; only what passes is waited for",
        (
            "aws/test_composed: test_a_cancelled_transaction_names_the_action_and_shows_its_item",
            "aws/test_composed: test_conflicts_are_shown_beside_their_actions",
            "faults/test_reconciling: test_of_mixed_reasons_only_those_that_pass_are_waited_for",
        ),
    ),
    Row(
        "a transaction with the same token is still in progress",
        "the same token and the same bytes later, never another token",
        (
            "aws/test_composed: test_a_transaction_in_progress_may_be_done_yet",
            "composing/test_running: test_a_lost_answer_is_asked_for_with_the_same_token",
        ),
    ),
    Row(
        "a token was used for another request",
        "it stops, and nothing is sent with a new one",
        (
            "aws/test_composed: test_one_token_for_two_requests_is_refused",
            "composing/test_running: test_what_does_not_pass_after_a_lost_answer_leaves_it_unknown",
        ),
    ),
    Row(
        "a token is older than the service keeps it",
        "not sent again; what is stored is read first",
        (
            "composing/test_running: test_it_is_never_sent_again_once_the_token_may_have_ended",
            "composing/test_running: test_a_pause_of_the_computer_counts_and_so_does_a_clock_that_is_set",
            "composing/test_log: test_later_only_its_items_can_be_looked_at",
            "faults/test_repairing: test_no_request_carries_a_token_that_could_grow_old",
        ),
    ),
    Row(
        "of a batch of writes a part comes back, some of it always",
        "only that part is sent again, and what stays unwritten is listed",
        (
            "editing/test_batches: test_what_was_left_out_is_sent_again_until_none_is",
            "editing/test_batches: test_a_table_that_takes_nothing_is_given_up",
            "editing/test_on_servers: test_a_thousand_staged_deletions_with_a_third_unprocessed_at_first",
        ),
    ),
    Row(
        "of a batch of keys a part comes back, or all of it",
        "asked for again; what was not fetched is never called absent",
        (
            "faults/test_reading: test_unprocessed_keys_are_asked_for_again",
            "faults/test_reading: test_keys_that_stay_unprocessed_are_an_error_and_never_absent",
            "faults/test_reading: test_a_batch_at_odds_with_itself",
        ),
    ),
    Row(
        "a read is answered with an error of the service",
        "tried again; then an error with the request id",
        (
            "faults/test_reading: test_a_fault_that_passes_leaves_no_trace",
            "faults/test_reading: test_a_fault_that_stays_ends_in_an_error_and_no_page",
            "faults/test_reading: test_what_support_needs_is_in_the_details",
        ),
    ),
    # -- answers that are lost or damaged
    Row(
        "a write is applied and answered with an error of the service",
        "unknown, then found out by reading: applied once",
        (
            "faults/test_repairs: test_an_answer_lost_on_its_way",
            "faults/test_repairing: test_an_answer_that_cannot_be_trusted_is_resolved_by_reading",
            "aws/test_writer: test_without_a_trustworthy_answer_the_outcome_is_unknown",
        ),
    ),
    Row(
        "a write never reaches the server",
        "found out by reading: not applied, and applied by the next try",
        (
            "faults/test_repairs: test_an_answer_lost_on_its_way",
            "composing/test_running: test_a_request_that_never_arrived_is_done_by_the_next_try",
        ),
    ),
    Row(
        "the reply to a write is cut before its first byte",
        "sent once, and found out by reading",
        (
            "faults/test_repairs: test_an_answer_lost_on_its_way",
            "editing/test_on_servers: test_a_lost_reply_is_read_back_and_nothing_is_sent_twice",
            "aws/test_clients: test_nothing_is_sent_twice_by_itself",
        ),
    ),
    Row(
        "a reply cut in the middle of a page",
        "damage, and the page is fetched again; never an empty last page",
        (
            "faults/test_reading: test_one_reply_cut_in_the_middle_of_a_query_page",
            "aws/test_wire: test_no_part_of_a_reply_passes_for_a_reply",
        ),
    ),
    Row(
        "every reply is cut",
        "an error, no verdict and no repair",
        (
            "faults/test_reconciling: test_a_fault_that_stays_ends_in_no_verdict_and_no_repair",
            "reconcile/test_run: test_damaged_replies_while_confirming_leave_a_suspect_and_an_incomplete_run",
        ),
    ),
    Row(
        "a wrong checksum, once or always",
        "fetched again, or an error",
        (
            "aws/test_wire: test_no_flipped_byte_passes_the_checksum",
            "faults/test_reading: test_damage_is_tried_four_times",
            "faults/test_bulk: test_a_fault_that_passes_leaves_no_trace",
        ),
    ),
    Row(
        "a wrong length, broken chunks, broken compression",
        "as a wrong checksum",
        (
            "faults/test_reading: test_a_fault_that_stays_ends_in_an_error_and_no_page",
            "faults/test_reading: test_a_compressed_reply_is_read",
            "faults/test_bulk: test_a_fault_that_stays_ends_in_an_error_and_no_page",
        ),
    ),
    Row(
        "a web page in place of a reply",
        "it is said that this is not DynamoDB, and nothing is read out of it",
        (
            "faults/test_reading: test_what_cannot_pass_is_not_tried_again",
            "faults/test_reading: test_a_fault_that_stays_ends_in_an_error_and_no_page",
            "aws/test_catalog: test_another_service_that_speaks_json",
        ),
    ),
    Row(
        "a redirect to another host",
        "not followed, and nothing signed is sent there",
        (
            "faults/test_reading: test_a_redirect_is_not_followed",
            "faults/test_bulk: test_a_redirect_is_not_followed",
        ),
    ),
    Row(
        "a reply that comes a byte at a time",
        "out of time as a whole, and the window goes on",
        (
            "faults/test_reading: test_a_reply_that_drips_runs_out_of_time",
            "faults/test_bulk: test_a_reply_that_drips_runs_out_of_time",
            "aws/test_in_time: test_leaves_a_call_that_takes_too_long",
        ),
    ),
    # -- the way there
    Row(
        "nobody listens, the name is unknown, or the connection hangs",
        "an error soon, with the host and what was tried",
        (
            "aws/test_clients: test_a_closed_port",
            "aws/test_clients: test_a_name_that_is_not_known",
            "aws/test_calls: test_a_wrong_address_is_said_soon",
            "faults/test_reading: test_an_endpoint_that_never_answered_gets_little_time",
        ),
    ),
    Row(
        "the network is gone for a minute in the midst of a scan",
        "it goes on from the last good page",
        (
            "faults/test_reconciling: test_minutes_without_capacity_or_network_are_waited_out",
            "faults/test_reading: test_a_connection_that_was_there_before_is_waited_for",
        ),
    ),
    Row(
        "the computer sleeps for hours in a scan or between two waves of repairs",
        "the scan finds the same; repairs are confirmed anew",
        (
            "faults/test_reconciling: test_a_computer_that_slept_in_mid_run_finds_the_same",
            "faults/test_repairing: test_a_computer_that_slept_between_two_waves_confirms_the_rest_in_full",
            "faults/test_repairing: test_a_computer_that_slept_between_two_tries_writes_only_what_still_holds",
        ),
    ),
    Row(
        "the computer's clock is wrong",
        "both clocks are shown, and nothing is tried again",
        (
            "faults/test_reading: test_a_clock_that_is_wrong_is_shown_beside_the_right_one",
            "faults/test_bulk: test_a_clock_that_is_wrong_is_shown_beside_the_right_one",
        ),
    ),
    # -- logins
    Row(
        "the login expires in the midst of a scan",
        "one question for all who wait, and the scan goes on",
        (
            "aws/test_sign_in: test_all_who_wait_share_one_question",
            "aws/test_raw_http: test_credentials_are_renewed_between_pages",
        ),
    ),
    Row(
        "the login expires in a wave of repairs",
        "the one under way is resolved, the rest is confirmed anew after the login",
        (
            "faults/test_repairing: test_a_login_that_expires_in_a_wave_pauses_it_and_the_plan_is_finished_afterwards",
            "aws/test_sign_in: test_a_write_waits_for_nobody",
        ),
    ),
    Row(
        "somebody logs in with another program",
        "noticed without a restart",
        (
            "aws/test_credentials: test_a_login_of_another_program_serves_here",
            "aws/test_credentials: test_a_login_in_another_program_is_noticed_while_the_code_is_shown",
        ),
    ),
    Row(
        "a single sign-on fails, expires or is closed",
        "said plainly, without a loop, and it can be cancelled",
        (
            "aws/test_credentials: test_a_sign_in_that_does_not_end_well",
            "aws/test_credentials: test_a_person_who_closes_the_sign_in",
            "aws/test_credentials: test_a_token_that_the_service_has_revoked",
        ),
    ),
    Row(
        "a code is not given, or wrong three times",
        "it ends, and there is never more than one question",
        (
            "aws/test_credentials: test_a_person_who_gives_no_code",
            "aws/test_credentials: test_three_wrong_codes_end_it",
            "aws/test_credentials: test_a_code_is_asked_for_once_until_it_expires_whoever_needs_it",
        ),
    ),
    Row(
        "a role may not be assumed, or not for so long",
        "the role and the limit are named",
        (
            "aws/test_credentials: test_a_role_that_may_not_be_assumed_is_named",
            "aws/test_credentials: test_an_hour_at_most_for_a_chained_role_as_the_service_says_it",
        ),
    ),
    # -- permissions
    Row(
        "a table may not be described",
        "it is listed, opened by its name, and the permission is named",
        (
            "ui/test_main_window: test_a_table_that_may_not_be_described_is_still_listed",
            "ui/pages/test_table_details: test_a_table_that_may_not_be_described",
            "aws/test_catalog: test_a_refused_description_names_its_permission",
        ),
    ),
    Row(
        "a repair may not write",
        "the first one ends the run",
        ("faults/test_repairs: test_a_refusal_for_good_stops_at_the_first",),
    ),
    # -- tables that change meanwhile
    Row(
        "a table is deleted, or made again, in the midst of a scan",
        "it stops, accuses nobody, and a plan for the old one is refused",
        (
            "faults/test_reading: test_a_table_deleted_while_it_is_read",
            "faults/test_reconciling: test_a_table_made_again_in_mid_run_is_not_accused",
            "reconcile/test_repair_plans: test_a_table_made_again_is_refused",
        ),
    ),
    Row(
        "an index is still being made, or deleted in the midst of a run",
        "refused as a source with the reason",
        (
            "faults/test_reconciling: test_an_index_that_is_not_complete_is_refused_and_named",
            "faults/test_reconciling: test_an_index_deleted_in_mid_run_ends_it_without_a_finding",
        ),
    ),
    Row(
        "a cursor comes back",
        "an error instead of an endless read",
        (
            "faults/test_reading: test_a_cursor_that_comes_back_is_an_error",
            "faults/test_bulk: test_a_cursor_that_comes_back_is_an_error",
            "aws/test_catalog: test_a_list_whose_cursor_goes_round",
        ),
    ),
    Row(
        "ten thousand pages without an item",
        "they are read, progress is told, and it can be cancelled",
        (
            "faults/test_reconciling: test_ten_thousand_empty_pages_are_not_the_end_of_the_children",
            "faults/test_reconciling: test_cancelling_among_empty_pages_asks_for_no_further_one",
        ),
    ),
    Row(
        "items come twice or out of order",
        "they prove nothing",
        (
            "faults/test_reconciling: test_children_that_come_twice_or_out_of_order_are_not_counted",
            "reconcile/test_run: test_replies_out_of_order_or_not_asked_for_conclude_nothing",
        ),
    ),
    # -- others write too
    Row(
        "a parent is deleted between its confirmation and its repair",
        "it stays deleted",
        (
            "reconcile/test_repair: test_a_parent_that_was_deleted_stays_deleted",
            "cases/test_drifted_counts: test_an_item_that_expires_before_the_repair_is_not_brought_back",
        ),
    ),
    Row(
        "a write of two steps, a transaction half seen, a like and an unlike while it is counted",
        "never called drift",
        (
            "simulator/test_confirming: test_a_like_behind_the_cursor_and_an_unlike_ahead_of_it",
            "simulator/test_confirming: test_a_like_whose_tally_comes_later",
            "faults/test_confirm: test_nothing_false_is_said_where_others_are_wrong",
        ),
    ),
    Row(
        "two programs repair by the same rule",
        "each drift is taken away once",
        (
            "faults/test_repairs: test_two_programs_at_once_repair_once",
            "reconcile/test_repair: test_two_tools_with_a_like_in_between_repair_once",
        ),
    ),
    Row(
        "a writer overwrites a repair",
        "told, and the run stops",
        ("reconcile/test_repair: test_a_writer_with_values_of_its_own_is_told",),
    ),
    Row(
        "a repair is not right afterwards",
        "the whole run stops, and it can be taken back",
        (
            "faults/test_repairing: test_a_repair_that_is_not_right_afterwards_offers_to_take_it_back",
            "ui/dialogs/test_repair: test_a_surprise_ends_the_run_and_is_said",
        ),
    ),
    # -- this computer
    Row(
        "the program is killed while it repairs",
        "what was left open is listed and resolved; nothing is lost and nothing doubled",
        (
            "faults/test_repairs: test_killed_on_its_way",
            "editing/test_committing: test_what_a_killed_program_left_open_is_found_out_and_not_sent",
            "composing/test_log: test_what_a_killed_program_left_is_sent_again_while_its_token_holds",
        ),
    ),
    Row(
        "the program is killed while it saves a file",
        "the old file or the new one",
        (
            "faults/test_saving: test_killed_while_it_saves",
            "store/test_state: test_a_kill_in_the_middle_of_saving_leaves_the_old_or_the_new",
            "ui/test_session: test_what_was_staged_is_back_after_a_kill_and_nothing_was_written",
        ),
    ),
    Row(
        "the disk is full",
        "without its journal no write is sent; what was there before is still there",
        (
            "faults/test_repairing: test_a_full_disk_under_the_journal_stops_before_the_next_request",
            "editing/test_committing: test_a_full_disk",
            "store/test_journal: test_a_disk_that_is_full_leaves_no_part_of_a_line",
            "store/test_paths: test_on_a_full_disk_the_old_file_stays",
            "ui/pages/test_reconcile_findings: test_a_report_that_cannot_be_written_leaves_the_old_one",
        ),
    ),
    Row(
        "a file is held by another program, or nothing may be written",
        "tried again, then said; what is in memory holds",
        (
            "store/test_paths: test_waits_for_a_scanner_that_holds_the_file",
            "store/test_paths: test_gives_up_on_a_file_held_for_ever",
            "store/test_paths: test_if_the_change_of_name_is_not_confirmed_that_is_said",
            "store/test_settings: test_where_nothing_can_be_written_they_hold_for_the_run",
        ),
    ),
    Row(
        "a file of settings is cut, zeroed, of a newer version or nonsense",
        "the program starts, keeps the damaged copy, reads the last good one, and says so",
        (
            "store/test_settings: test_no_content_of_the_file_stops_the_start",
            "store/test_settings: test_a_newer_version_is_read_and_never_written",
            "store/test_profiles: test_no_content_of_the_file_stops_the_start",
            "store/test_queries: test_five_hundred_mutations_of_the_file_start_and_lose_nothing",
        ),
    ),
    Row(
        "two of the program at once",
        "neither loses what the other saved",
        (
            "store/test_settings: test_two_programs_keep_each_others_settings",
            "store/test_profiles: test_two_programs_that_add_at_once_lose_nothing",
            "ui/test_staging: test_two_programs_stage_edits_of_one_item",
            "editing/test_on_servers: test_while_another_window_writes_nothing_is_noted_or_sent",
        ),
    ),
    Row(
        "the file of the SQL engine is damaged or held by another program",
        "said, and nothing else is touched",
        (
            "workbench/test_bench: test_a_file_in_use_elsewhere_is_said_so",
            "workbench/test_bench: test_a_file_that_is_no_database_is_said_so",
        ),
    ),
    Row(
        "a statement of SQL takes all memory or never ends",
        "ended when told, and the engine lives",
        (
            "workbench/test_results: test_too_much_memory_is_said_so_and_the_bench_lives",
            "workbench/test_bench: test_a_statement_that_would_run_for_hours_is_ended",
            "workbench/test_bench: test_what_heeds_no_interrupt_is_left_to_itself",
            "ui/pages/test_sql: test_a_runaway_statement_ends_when_it_is_stopped",
        ),
    ),
    Row(
        "a keyring that is locked, absent, slow, hostile or too small",
        "told apart; the keys are never written elsewhere",
        (
            "store/test_secrets: test_locked_is_never_taken_for_no_keys",
            "store/test_secrets: test_whatever_a_keyring_raises_is_told_plainly",
            "store/test_secrets: test_waiting_for_an_answer_ends",
            "store/test_secrets: test_without_a_keyring_keys_last_for_the_session",
            "store/test_secrets: test_the_windows_keyring_through_the_real_library",
            "store/test_keyring_service: test_a_locked_keyring_is_not_an_empty_one",
            "store/test_entries: test_a_keyring_that_shortens_is_found_out",
        ),
    ),
    # -- the window
    Row(
        "a fault of ours in a slot, in a thread, in a job, in what paints a cell",
        "told once, logged without values, and the window goes on",
        (
            "faults/test_window: test_a_fault_wherever_it_happens_is_told_and_the_window_goes_on",
            "ui/test_uncaught: test_the_same_fault_is_told_once_and_logged_each_time",
            "cli/test_faults: test_a_command_that_meets_a_fault_says_so_and_writes_a_report",
        ),
    ),
    Row(
        "the window is closed while it reads or repairs",
        "reading ends; the repair under way is finished and noted",
        (
            "faults/test_window: test_a_window_that_closes_finishes_the_repair_that_is_under_way",
            "ui/pages/test_reconcile: test_a_page_that_is_closed_stops_its_run",
            "ui/test_jobs: test_shutdown_says_when_work_does_not_stop",
            "ui/models/test_page_feed: test_a_closed_page_reads_no_further",
        ),
    ),
    Row(
        "rows arrive faster than they can be drawn",
        "they cross to the window in few portions, and reading waits",
        (
            "ui/models/test_page_feed: test_everything_arrives_once_in_order_and_in_portions",
            "ui/pages/test_reconcile_rows: test_findings_cross_to_the_gui_thread_in_few_batches_and_in_order",
        ),
    ),
    Row(
        "an item of ten thousand attributes, or of 32 levels",
        "opened at once",
        (
            "ui/pages/test_inspector: test_32_levels_are_opened_and_a_33rd_is_refused",
            "cases/test_bad_inputs: test_an_item_is_as_large_as_all_of_its_bytes",
        ),
    ),
    # -- the way there, encrypted or through others
    Row(
        "a certificate that is self-signed, expired or of another name",
        "refused; a CA bundle helps, and nothing switches the check off",
        (
            "aws/test_tls: test_a_certificate_that_nobody_vouches_for",
            "aws/test_tls: test_a_certificate_of_the_ca_bundle",
            "aws/test_tls: test_a_vouched_certificate_that_is_wrong",
            "aws/test_raw_http: test_a_certificate_that_nobody_vouches_for",
        ),
    ),
    Row(
        "a proxy that asks for a password, or hangs up",
        "said, without the password that was given to it",
        ("faults/test_company_proxy: test_a_proxy_that_lets_nobody_through",),
    ),
    # -- evidence from elsewhere
    Row(
        "a stream was trimmed, an iterator expired, a shard split",
        "told, and the verdict is no longer exact by it",
        (
            "aws/test_streams: test_trimmed_records_are_told",
            "aws/test_streams: test_an_expired_place_is_found_again",
            "aws/test_streams: test_a_shard_that_splits_while_it_is_read",
            "reconcile/test_witness: test_a_stream_that_cannot_tell",
        ),
    ),
    Row(
        "an export that is not whole: a wrong checksum, a file missing, another count",
        "refused, or partial and said so",
        (
            "workbench/test_files: test_an_export_that_is_not_whole_is_refused",
            "workbench/test_files: test_an_export_whose_file_holds_other_than_its_count_is_partial",
            "workbench/test_files: test_other_exports_are_refused",
        ),
    ),
)
