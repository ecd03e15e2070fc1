# Written by lasthop VERSION.
# Each figure becomes an SVG file:  gnuplot summary.gnuplot
# or a PDF file:                    gnuplot -e "form='pdf'" summary.gnuplot
# Columns of the data: place, mean, ends of its confidence interval, change in percent, ends of its interval.
if (!exists("form")) form = 'svg'
if (form eq 'pdf') {
  set terminal pdfcairo noenhanced size 12cm,9cm
} else {
  set terminal svg noenhanced size 640,480 dynamic background 'white'
}
set border 3
set grid ytics
set xtics nomirror
set ytics nomirror
set key outside above left horizontal

# 50 % of a_b & 'more': completion time, s
$data_windows_completion_time_s << EOD
# unmodified
16384 302 276.5875905276506 327.4124094723494 NaN NaN NaN
32768 152 126.5875905276506 177.4124094723494 NaN NaN NaN
131072 102 76.5875905276506 127.4124094723494 NaN NaN NaN


# refined-icmp
16384 282 256.5875905276506 307.4124094723494 -6.622516556291391 -7.179781796244676 -6.065251316338106
32768 132 106.5875905276506 157.4124094723494 -13.157894736842104 -15.357722426623045 -10.958067047061164
131072 NaN NaN NaN NaN NaN NaN
EOD
set title '50 % of a_b & ''more'''
set xlabel 'receive window of flow download'
unset logscale
set logscale x
set xrange [*:*]
set offsets graph 0.03, graph 0.03, 0, 0
set xtics ('16 KiB' 16384, '32 KiB' 32768, '128 KiB' 131072)
set ylabel 'completion time, s'
set yrange [*<0:0<*]
set output 'windows-completion-time-s.'.form
plot \
  $data_windows_completion_time_s index 0 using 1:2:3:4 with yerrorlines linetype 1 pointtype 7 title 'unmodified', \
  $data_windows_completion_time_s index 1 using 1:2:3:4 with yerrorlines linetype 2 pointtype 5 title 'refined-icmp'
set ylabel 'change of completion time from unmodified, %'
set xzeroaxis linetype -1
set output 'windows-completion-time-s-change.'.form
plot \
  $data_windows_completion_time_s index 1 using 1:5:6:7 with yerrorlines linetype 2 pointtype 5 title 'refined-icmp'
unset xzeroaxis
unset output

# 50 % of a_b & 'more': completion time, s (delay of link air = 1 ms)
$data_channels_completion_time_s << EOD
# don't
-0.15 302 276.5875905276506 327.4124094723494 NaN NaN NaN
0.85 152 126.5875905276506 177.4124094723494 NaN NaN NaN


# do
0.15 282 256.5875905276506 307.4124094723494 -6.622516556291391 -7.179781796244676 -6.065251316338106
1.15 132 106.5875905276506 157.4124094723494 -13.157894736842104 -15.357722426623045 -10.958067047061164
EOD
set title '50 % of a_b & ''more'' (delay of link air = 1 ms)'
set xlabel 'channel of link air'
unset logscale
set xrange [-0.5:1.5]
unset offsets
set xtics ('[perfect]' 0, 'bad\{$x^2$}~' 1)
set ylabel 'completion time, s'
set yrange [*<0:0<*]
set output 'channels-completion-time-s.'.form
plot \
  $data_channels_completion_time_s index 0 using 1:2:3:4 with yerrorbars linetype 1 pointtype 7 title 'don''t', \
  $data_channels_completion_time_s index 1 using 1:2:3:4 with yerrorbars linetype 2 pointtype 5 title 'do'
set ylabel 'change of completion time from don''t, %'
set xzeroaxis linetype -1
set output 'channels-completion-time-s-change.'.form
plot \
  $data_channels_completion_time_s index 1 using 1:5:6:7 with yerrorbars linetype 2 pointtype 5 title 'do'
unset xzeroaxis
unset output

# 50 % of a_b & 'more': completion time, s (delay of link air = 9 ms)
$data_channels_completion_time_s_2 << EOD
# don't
-0.15 102 76.5875905276506 127.4124094723494 NaN NaN NaN
0.85 77 51.587590527650605 102.4124094723494 NaN NaN NaN


# do
0.15 NaN NaN NaN NaN NaN NaN
1.15 57 31.5875905276506 82.4124094723494 -25.97402597402597 -34.546267320745265 -17.401784627306675
EOD
set title '50 % of a_b & ''more'' (delay of link air = 9 ms)'
set xlabel 'channel of link air'
unset logscale
set xrange [-0.5:1.5]
unset offsets
set xtics ('[perfect]' 0, 'bad\{$x^2$}~' 1)
set ylabel 'completion time, s'
set yrange [*<0:0<*]
set output 'channels-completion-time-s-2.'.form
plot \
  $data_channels_completion_time_s_2 index 0 using 1:2:3:4 with yerrorbars linetype 1 pointtype 7 title 'don''t', \
  $data_channels_completion_time_s_2 index 1 using 1:2:3:4 with yerrorbars linetype 2 pointtype 5 title 'do'
set ylabel 'change of completion time from don''t, %'
set xzeroaxis linetype -1
set output 'channels-completion-time-s-2-change.'.form
plot \
  $data_channels_completion_time_s_2 index 1 using 1:5:6:7 with yerrorbars linetype 2 pointtype 5 title 'do'
unset xzeroaxis
unset output

# 50 % of a_b & 'more': completion time, s
$data_stations_completion_time_s << EOD
# results
1 0 0 0 NaN NaN NaN
2 1 1 1 NaN NaN NaN
3 2 2 2 NaN NaN NaN
4 3 3 3 NaN NaN NaN
5 4 4 4 NaN NaN NaN
6 5 5 5 NaN NaN NaN
7 6 6 6 NaN NaN NaN
8 7 7 7 NaN NaN NaN
9 8 8 8 NaN NaN NaN
10 9 9 9 NaN NaN NaN
11 10 10 10 NaN NaN NaN
12 11 11 11 NaN NaN NaN
13 12 12 12 NaN NaN NaN
14 13 13 13 NaN NaN NaN
15 14 14 14 NaN NaN NaN
16 15 15 15 NaN NaN NaN
17 16 16 16 NaN NaN NaN
18 17 17 17 NaN NaN NaN
19 18 18 18 NaN NaN NaN
20 19 19 19 NaN NaN NaN
21 20 20 20 NaN NaN NaN
22 21 21 21 NaN NaN NaN
23 22 22 22 NaN NaN NaN
24 23 23 23 NaN NaN NaN
25 24 24 24 NaN NaN NaN
26 25 25 25 NaN NaN NaN
27 26 26 26 NaN NaN NaN
28 27 27 27 NaN NaN NaN
29 28 28 28 NaN NaN NaN
30 29 29 29 NaN NaN NaN
31 30 30 30 NaN NaN NaN
32 31 31 31 NaN NaN NaN
33 32 32 32 NaN NaN NaN
34 33 33 33 NaN NaN NaN
35 34 34 34 NaN NaN NaN
36 35 35 35 NaN NaN NaN
37 36 36 36 NaN NaN NaN
38 37 37 37 NaN NaN NaN
39 38 38 38 NaN NaN NaN
40 39 39 39 NaN NaN NaN
41 40 40 40 NaN NaN NaN
42 41 41 41 NaN NaN NaN
EOD
set title '50 % of a_b & ''more'''
set xlabel 'stations of medium cell'
unset logscale
set xrange [*:*]
set offsets graph 0.03, graph 0.03, 0, 0
set xtics autofreq
set ylabel 'completion time, s'
set yrange [*<0:0<*]
set output 'stations-completion-time-s.'.form
plot \
  $data_stations_completion_time_s index 0 using 1:2:3:4 with yerrorlines linetype 1 pointtype 7 notitle
unset output
